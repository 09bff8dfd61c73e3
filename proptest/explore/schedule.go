package explore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Schedule holds the answers to the questions of a trial, in the order in which they were asked. A question asks which of several
// things goes next, or is one of [Trial.Choose]. Its answer is an index. Questions beyond the end of the Schedule are answered 0.
type Schedule []int

// String returns the schedule in the form that [Parse] reads: "0.2.1". Zeros at the end change nothing and are left out; the
// plain schedule is "plain".
func (s Schedule) String() string {
	s = s.trim()
	if len(s) == 0 {
		return plain
	}
	parts := make([]string, len(s))
	for i, answer := range s {
		parts[i] = strconv.Itoa(answer)
	}
	return strings.Join(parts, ".")
}

const plain = "plain"

// Parse returns the schedule for a text in the form of [Schedule.String]. It returns an error if text has another form.
func Parse(text string) (Schedule, error) {
	if text == plain {
		return nil, nil
	}
	var s Schedule
	for part := range strings.SplitSeq(text, ".") {
		answer, err := strconv.Atoi(part)
		if err != nil || answer < 0 {
			return nil, fmt.Errorf("explore: %q is no schedule: want numbers like 0.2.1", text)
		}
		s = append(s, answer)
	}
	return s, nil
}

// Delays returns the number of departures from the plain order.
func (s Schedule) Delays() int {
	n := 0
	for _, answer := range s {
		if answer != 0 {
			n++
		}
	}
	return n
}

func (s Schedule) trim() Schedule {
	for len(s) > 0 && s[len(s)-1] == 0 {
		s = s[:len(s)-1]
	}
	return s
}

// answers returns a function that answers questions with the answers of the schedule, one after the other. If an answer is out of
// range, because the test has changed, the function answers with the largest index.
func (s Schedule) answers() func(q question) int {
	rest := slices.Clone(s)
	return func(q question) int {
		if len(rest) == 0 {
			return 0
		}
		answer := min(rest[0], q.n-1)
		rest = rest[1:]
		return answer
	}
}
