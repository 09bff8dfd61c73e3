package laws_test

import (
	"slices"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

type failure struct {
	code   fault.Code
	info   string
	defect bool // a defect met while a step was left, which is reported if there is no error to join it to
	part   bool // it belongs to another error, whose text has it, so said leaves it out
	met    int  // 1 + the number of errors that were secondary when it was raised; 0 before it is raised
}

func (f failure) String() string { return strings.TrimSpace(string(f.code) + " " + f.info) }

// broken returns the failure of a step that broke a rule (E7).
func broken(rule string) failure { return failure{code: fault.InternalError, info: "step " + rule} }

// panicked is the failure of a step whose code panicked (E4).
var panicked = broken("panicked")

// slipped is the error of a hook or a cleanup that panicked.
var slipped = failure{code: panicked.code, info: panicked.info, defect: true}

// overdue returns the failure of a step that took too long (C3).
func overdue(limit time.Duration) failure {
	return failure{code: fault.Timeout, info: "step took longer than " + limit.String()}
}

// overdue returns the failure that is raised at k.stop.
func (k *kill) overdue() failure {
	why := overdue(k.stop.limit)
	why.met = k.met
	return why
}

// lost returns the failure of a step that is in no loop that it could leave (L3).
func lost(b *body) failure {
	what, where := "asks for "+b.way.String(), ", but is in no loop"
	if b.label != 0 {
		what, where = what+" "+labelName(b.label), where+" of that label"
	}
	return broken(what + where)
}

// cancelled is the failure of a run that was cancelled.
var cancelled = failure{code: fault.Cancelled, info: errStop.Error()}

func failing(why failure) result { return result{how: failed, why: why} }

// said returns the error in the form of events: with the errors that it has met, in their order (E4, P3).
func (s *fiber) said(why failure) string {
	all := []string{why.String()}
	for _, other := range s.also {
		if !other.part {
			all = append(all, other.String())
		}
	}
	return strings.Join(all, "; also ")
}

// breaking returns the result of a step whose code breaks a rule while it runs (E7).
func breaking(rule string) result {
	r := failing(broken(rule))
	r.broke = true
	return r
}

// raise records that the error of r, if any, is on its way outwards.
func (s *fiber) raise(r *result) {
	s.raised = nil
	if r.how == failed {
		if r.why.met == 0 {
			r.why.met = 1 + len(s.also)
		}
		why := r.why
		s.raised = &why
	}
}

func (s *fiber) recovered() { s.raised, s.also = nil, nil }

func (s *fiber) canBeOvertaken() bool {
	return s.raised != nil || s.killed != nil && s.killed.stop != nil
}

// overtaken keeps an error as a secondary one when a cancel or an outer limit takes its place.
func (s *fiber) overtaken() {
	switch k := s.killed; {
	case s.raised != nil:
		s.displaced(*s.raised)
	case k != nil && k.stop != nil:
		s.displaced(k.overdue())
	}
	s.raised = nil
}

// displaced keeps why as a secondary error, before those that it has met. A panic is reported if nothing else is on its way.
func (s *fiber) displaced(why failure) {
	why.defect = why.defect || why.panicked()
	s.also = slices.Insert(s.also, min(max(why.met-1, 0), len(s.also)), why)
}

// tell reports what went wrong while a break or continue left steps: there is no error to join it to. Ordinary errors of
// siblings are dropped (P5).
func (s *fiber) tell() {
	for _, why := range s.also {
		if why.defect {
			s.m.told = append(s.m.told, why.String())
		}
	}
	s.also = nil
}

func (b *body) failure() failure { return failure{code: b.code, info: b.info()} }
