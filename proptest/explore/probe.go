package explore

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNotApart is the error of a search that finds that parts aren't apart, although they were declared to be: in an order that
// [Trial.Apart] lets the search leave out, the trial has a new outcome, or the body fails. If the schedule shows which parts depend
// on each other, the text of the error names them.
var ErrNotApart = errors.New("explore: parts that were declared to be apart aren't")

// probes is how many schedules are drawn after a complete search to see whether parts are apart.
const probes = 20

// probe draws schedules without regard to parts. If the parts are apart, the outcomes of these schedules are known.
func (s *search) probe() {
	if s.result.Failure != nil || !s.last.reduced() {
		return
	}
	of := s.body
	body := func(x *Trial) error {
		err := of(x)
		if err == nil && s.knows(x) {
			return nil
		}
		return errors.Join(err, fmt.Errorf("%w: %s", ErrNotApart, x.overtaken()))
	}
	var d draws
	for range probes {
		answer, _ := d.next(1)
		x := newTrial(answer)
		if err := body(x); err != nil {
			s.body, s.result.Failure = body, x.failure(err)
			return
		}
	}
}

// overtaken describes the last event of a part that was chosen although events of other parts came first in the plain order.
func (x *Trial) overtaken() string {
	names := make([]string, len(x.parts)+1)
	for name, part := range x.parts {
		names[part] = fmt.Sprintf("%q", name)
	}
	for _, p := range slices.Backward(x.points) {
		if p.parts == nil || p.at == 0 {
			continue
		}
		part := p.parts[p.at]
		var behind []string
		for _, other := range p.parts[:p.at] {
			if name := names[other]; other != part && !slices.Contains(behind, name) {
				behind = append(behind, name)
			}
		}
		if part > 0 && len(behind) > 0 {
			return fmt.Sprintf("what happens in %s goes before what happens in %s, and the outcome is one that no order of the search has",
				names[part], strings.Join(behind, " and "))
		}
	}
	return "the outcome is one that no order of the search has"
}
