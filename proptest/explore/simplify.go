package explore

// simplify looks for a simpler schedule under which body fails too, by lowering one answer at a time. After each improvement it
// starts over, so in the end no single answer can be lowered.
func simplify(body Body, f *Failure) {
	for improved := true; improved; {
		improved = false
		f.Schedule = f.Schedule.trim()
		for i := 0; i < len(f.Schedule) && !improved; i++ {
			for answer := range f.Schedule[i] {
				s := append(Schedule(nil), f.Schedule...)
				s[i] = answer
				if improved = fails(body, s, f); improved {
					break
				}
			}
		}
	}
}

// fails reports whether body fails under s with answers that are simpler than those of f. If so, it stores the failure in f.
func fails(body Body, s Schedule, f *Failure) bool {
	x := newTrial(s.answers())
	err := body(x)
	if err == nil || !simpler(x.taken, f.Schedule) {
		return false
	}
	*f = *x.failure(err)
	return true
}

// simpler reports whether a departs from the plain order less often than b, or as often but with a smaller sum of answers.
func simpler(a, b Schedule) bool {
	if n, m := a.Delays(), b.Delays(); n != m {
		return n < m
	}
	return sum(a) < sum(b)
}

func sum(s Schedule) (n int) {
	for _, answer := range s {
		n += answer
	}
	return n
}
