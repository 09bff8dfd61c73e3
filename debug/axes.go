package debug

import (
	"fmt"
	"math"
	"strings"
)

// axes is a chart of the last hour with an axis of minutes and one of values, in the pixels of an SVG.
type axes struct {
	Title string
	Text  string // what is drawn, in words
	Lines []axisLine
	Rows  []tick // of values, from below
	Cols  []tick // of minutes
}

// axisLine is a line of a chart.
type axisLine struct {
	Label string
	Path  string // with a gap where a minute has no value
}

// tick is a mark at an axis.
type tick struct {
	At   string // pixels
	Text string
}

// The plot of an axes is within these.
const (
	plotLeft   = 70
	plotRight  = 690
	plotTop    = 8
	plotBottom = 150
)

// dash is how long a minute without neighbours is drawn, which leaves a gap to the next minute.
const dash = 8.0

// unit says how an axis writes its values, and how far apart its ticks are at least.
type unit struct {
	say   func(float64) string
	least float64 // between two ticks; 0 if there is none
}

// newAxes draws lines, which are named, of the minutes. If values differ by more than twenty times, the axis of values is logarithmic.
func newAxes(title string, past []minuteView, in unit, names []string, value func(m minuteView, line int) float64) axes {
	a := axes{Title: title}
	low, high := math.Inf(1), 0.0
	for _, m := range past {
		for i := range names {
			if v := value(m, i); v > 0 {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	s := newScale(low, high)
	for _, v := range s.ticks(in.least) {
		a.Rows = append(a.Rows, tick{pixels(s.y(v)), in.say(v)})
	}
	for ago := minutes; ago >= 0; ago -= minutes / 4 {
		text := fmt.Sprintf("%d min ago", ago)
		if ago == 0 {
			text = "now"
		}
		a.Cols = append(a.Cols, tick{pixels(placeOf(ago)), text})
	}
	var words []string
	for i, name := range names {
		var path strings.Builder
		next := -1 // the minute that would continue the line
		for j, m := range past {
			x, y := placeOf(m.Ago), pixels(s.y(value(m, i)))
			begins, ends := m.Ago != next, j+1 == len(past) || past[j+1].Ago != m.Ago-1
			next = m.Ago - 1
			switch {
			case begins && ends: // a point of its own is a dash, which can be seen
				path.WriteString("M" + pixels(x-dash/2) + " " + y + "h" + pixels(dash))
			case begins:
				path.WriteString("M" + pixels(x) + " " + y)
			default:
				path.WriteString("L" + pixels(x) + " " + y)
			}
		}
		a.Lines = append(a.Lines, axisLine{name, path.String()})
		if n := len(past); n > 0 {
			words = append(words, fmt.Sprintf("%s %s", name, in.say(value(past[n-1], i))))
		}
	}
	a.Text = title + ", of the last hour; in the latest minute: " + strings.Join(words, ", ")
	return a
}

// placeOf returns the place of a minute.
func placeOf(ago int) float64 { return plotRight - float64(ago)/minutes*(plotRight-plotLeft) }

func pixels(v float64) string { return fmt.Sprintf("%.1f", v) }

// scale maps values to pixels.
type scale struct {
	low, high float64
	log       bool
}

// newScale returns the scale for values between low and high, both above zero. Without values high is 0.
func newScale(low, high float64) scale {
	switch {
	case high == 0:
		return scale{high: 1}
	case high > 20*low:
		return scale{math.Pow(10, math.Floor(math.Log10(low))), math.Pow(10, math.Ceil(math.Log10(high)-1e-9)), true}
	default:
		step := tidy(high / 3)
		return scale{high: math.Ceil(high/step-1e-9) * step}
	}
}

// tidy returns the least of 1, 2, 5, 10, 20, … and of their tenths that is at least v.
func tidy(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, n := range []float64{1, 2, 5} {
		if n*power >= v*(1-1e-9) {
			return n * power
		}
	}
	return 10 * power
}

// ticks returns the values at the axis, at most seven. If it isn't logarithmic they are least apart, or more.
func (s scale) ticks(least float64) (all []float64) {
	if s.log {
		decades := math.Round(math.Log10(s.high / s.low))
		every := math.Ceil(decades / 6)
		for d := 0.0; d <= decades; d += every {
			all = append(all, s.low*math.Pow(10, d))
		}
		return all
	}
	step := max(tidy(s.high/4), least)
	for v := 0.0; v <= s.high*(1+1e-9); v += step {
		all = append(all, v)
	}
	return all
}

// y returns the place of a value; what is below the axis is at its lower end.
func (s scale) y(v float64) float64 {
	share := v / s.high
	if s.log {
		share = math.Log10(max(v, s.low)/s.low) / math.Log10(s.high/s.low)
	}
	return plotBottom - share*(plotBottom-plotTop)
}
