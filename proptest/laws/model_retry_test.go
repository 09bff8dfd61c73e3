package laws_test

import (
	"fmt"

	"github.com/futoin-go/asyncsteps/fault"
)

// retry runs the attempts of a step. The decision for another attempt is no event, and a cancel may come before it (R2).
func (s *fiber) retry(o *op, in int) result {
	var before []failure
	for n := 1; ; n++ {
		r := s.level(o.inner, in)
		if r.how != failed {
			return r
		}
		s.raise(&r)
		if !s.silent() {
			return result{how: dropped}
		}
		if n == o.n.n || s.unwanted() || r.why.code == fault.InternalError || r.why.code == fault.InvalidRequest { // errors with these codes would come again (R4)
			s.also = append(s.also, before...)
			r.broke = false
			return r
		}
		before = append(before, s.attempted(n, r.why))
		s.recovered()
	}
}

// attempted returns the failure of an attempt as a secondary error of a later one (R3). The secondary error gets a number if it has
// no text of its own: a bare code that has met no other errors.
func (s *fiber) attempted(n int, why failure) failure {
	if why.code == fault.CommError && len(s.also) == 0 {
		why.info = fmt.Sprintf("attempt %d: %s", n, why.code)
	}
	return why
}
