package explore

import (
	"regexp"
	"slices"
)

// Bounds of the search for a short schedule. They hold for each shortening.
const (
	mostDelays = 3
	fewest     = 100 // how many schedules are tried by their number of delays
	several    = 150 // how many schedules are drawn
)

// shorten looks for r.Short, first under the plain schedule, then under others. If the body doesn't fail as in the
// incident, shorten takes a schedule under which the body fails for the same reason at another place.
func (r *Reproduction) shorten(g *guide, body Body) {
	if r.Departed == nil && r.Err == nil {
		return
	}
	var searches []*shortening
	for _, when := range timings {
		for _, slow := range []bool{false, true} {
			s := &shortening{of: r, guide: g, body: body, answers: g.answers(when), absolute: !when.apiece, slow: slow}
			s.search = newSearch(s.exactly)
			searches = append(searches, s)
		}
	}
	for _, try := range []func(s *search){
		func(s *search) { s.all(Bounds{Delays: mostDelays}, 1) },
		func(s *search) { s.all(Bounds{Delays: mostDelays}, fewest) },
		func(s *search) { s.near(several) },
	} {
		for _, s := range searches {
			if try(s.search); s.result.Failure != nil && s.keeps(s.end().Failure) {
				return
			}
		}
	}
	for _, s := range searches {
		if f := s.like; f != nil {
			if simplify(s.nearly, f); s.keeps(f) {
				return
			}
		}
	}
}

// shortening is a search for Reproduction.Short with one timing of the answers, with or without [Trial.Slow].
type shortening struct {
	*search
	of       *Reproduction
	guide    *guide
	body     Body
	answers  []Answer
	absolute bool // the times of answers are times of the loop
	slow     bool
	like     *Failure // the first other failure with the same reason; nil if there is none
}

func (s *shortening) with(x *Trial, answers []Answer) error {
	x.Answers(answers...)
	if s.slow {
		x.Slow()
	}
	return s.body(x)
}

// exactly is a body that fails only as the incident did.
func (s *shortening) exactly(x *Trial) error {
	x.absolute = s.absolute
	err := s.with(x, s.answers)
	switch {
	case s.alike(x, err, same):
		return err
	case s.like == nil && s.alike(x, err, reason):
		s.like = x.failure(err)
	}
	return nil
}

// nearly is a body that fails only for the same reason as the incident, perhaps at another place.
func (s *shortening) nearly(x *Trial) error {
	x.absolute = s.absolute
	if err := s.with(x, s.answers); s.alike(x, err, reason) {
		return err
	}
	return nil
}

// keeps reports whether f can be the result, and stores it in s.of.Short then. f may have at most mostDelays delays. The body must
// fail with the error of f also if the time of each answer counts from the beginning of its step, or of its run for a cancel.
func (s *shortening) keeps(f *Failure) bool {
	if f.Schedule.Delays() > mostDelays {
		return false
	}
	x := newTrial(f.Schedule.answers())
	x.absolute = s.absolute
	_ = s.with(x, s.answers)
	answers := x.used
	err := s.with(newTrial(f.Schedule.answers()), answers)
	if err == nil || err.Error() != f.Err.Error() {
		return false
	}
	r := s.of
	r.Short, r.Slow, r.Answers = f, s.slow, answers
	return true
}

// alike reports whether the body has failed in x as in the incident: with the same error or, if the reproduction has departed from
// the incident, with the same ends of the recorded runs. The texts of errors are compared after of was applied to them.
func (s *shortening) alike(x *Trial, err error, of func(text string) string) bool {
	if err == nil {
		return false
	}
	if s.of.Departed == nil {
		return of(err.Error()) == of(s.of.Err.Error())
	}
	failed := false
	for live, run := range s.guide.bound {
		r := &s.guide.incident.runs[run]
		if !r.ended() {
			continue
		}
		want := textOf(r.events[len(r.events)-1].err)
		failed = failed || want != ""
		if !slices.ContainsFunc(x.ends, func(e ending) bool { return e.run == live+1 && of(e.text) == of(want) }) {
			return false
		}
	}
	return failed
}

func same(text string) string { return text }

// where finds the places, and the number of secondary errors, in the text of an error.
var where = regexp.MustCompile(` \((at [^()]*|and \d+ more)\)`)

func reason(text string) string { return where.ReplaceAllString(text, "") }
