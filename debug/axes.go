package debug

import (
	"fmt"
	"math"
	"strings"
)

// axes is a chart of the last hour, with minutes on one axis and values on the other. Coordinates are pixels of an SVG.
type axes struct {
	Title string
	Text  string // the chart in words
	Lines []axisLine
	Rows  []tick // ticks on the axis of values, from the bottom up
	Cols  []tick // ticks on the axis of minutes
}

type axisLine struct {
	Label string
	Path  string // interrupted where a minute has no value
}

type tick struct {
	At   string // pixels
	Text string
}

// Bounds of the plot, in pixels.
const (
	plotLeft   = 70
	plotRight  = 690
	plotTop    = 14
	plotBottom = 150
)

// dash is the width of a minute without neighbours. It is less than the distance of two minutes, so there is a gap between them.
const dash = 8.0

// unit tells how an axis writes its values, and where its ticks are.
type unit struct {
	say  func(float64) string
	step func(least float64) float64 // the smallest round distance between two ticks that isn't below least
	mark func(n int) float64         // the n-th tick of a logarithmic axis; mark(0) is 1
}

var (
	inSeconds = unit{axisTime, timeStep, timeMark}
	inRuns    = unit{axisCount, func(least float64) float64 { return max(1, tidy(least)) }, decade}
)

// newAxes draws a line for each name through the minutes of past. The axis of values is logarithmic if the largest of the values
// above zero is more than twenty times the smallest.
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
	s := newScale(low, high, in)
	for _, v := range s.ticks(in) {
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
			case begins && ends: // a point alone would be invisible
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

func placeOf(ago int) float64 { return plotRight - float64(ago)/minutes*(plotRight-plotLeft) }

func pixels(v float64) string { return fmt.Sprintf("%.1f", v) }

type scale struct {
	low, high float64
	log       bool
}

// newScale returns the scale for values between low and high, both above zero. high is 0 if there are no values.
func newScale(low, high float64, in unit) scale {
	switch {
	case high == 0:
		return scale{high: 1}
	case high > 20*low:
		first, last := marks(low, high, in)
		return scale{in.mark(first), in.mark(last), true}
	default:
		step := in.step(high / 3)
		return scale{high: math.Ceil(high/step-1e-9) * step}
	}
}

// marks returns the numbers of the last mark at or below low, and of the first one at or above high.
func marks(low, high float64, in unit) (first, last int) {
	for in.mark(first) > low*(1+1e-9) {
		first--
	}
	for in.mark(first+1) <= low*(1+1e-9) {
		first++
	}
	for last = first; in.mark(last) < high*(1-1e-9); {
		last++
	}
	return first, last
}

// tidy returns the least number that is at least v, and is 1, 2 or 5 times a power of ten.
func tidy(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, n := range []float64{1, 2, 5} {
		if n*power >= v*(1-1e-9) {
			return n * power
		}
	}
	return 10 * power
}

// ticks returns at most seven values at the axis.
func (s scale) ticks(in unit) (all []float64) {
	if s.log {
		first, last := marks(s.low, s.high, in)
		every := (last - first + 5) / 6
		for n := first; n <= last; n += every {
			all = append(all, in.mark(n))
		}
		return all
	}
	step := in.step(s.high / 4)
	for v := 0.0; v <= s.high*(1+1e-9); v += step {
		all = append(all, v)
	}
	return all
}

// y returns the coordinate of v. A value below the axis is drawn at its lower end.
func (s scale) y(v float64) float64 {
	share := v / s.high
	if s.log {
		share = math.Log10(max(v, s.low)/s.low) / math.Log10(s.high/s.low)
	}
	return plotBottom - share*(plotBottom-plotTop)
}

func decade(n int) float64 { return math.Pow(10, float64(n)) }

// timeMark returns the n-th mark, in seconds, on a logarithmic axis of times. The marks are powers of ten up to 10 s, then 1 min
// and 10 min, then 1 h, 10 h and so on.
func timeMark(n int) float64 {
	switch {
	case n <= 1:
		return decade(n)
	case n <= 3:
		return 60 * decade(n-2)
	default:
		return 3600 * decade(n-4)
	}
}

func timeStep(least float64) float64 {
	if least <= 10 {
		return tidy(least)
	}
	for _, step := range []float64{15, 30, 60, 120, 300, 600, 900, 1800, 3600, 2 * 3600, 6 * 3600, 12 * 3600} {
		if step >= least {
			return step
		}
	}
	return 24 * 3600 * tidy(least/(24*3600))
}

// axisTime writes seconds without units that are zero: 1h30m, not 1h30m0s.
func axisTime(v float64) string {
	text := seconds(v)
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		text = short + "m"
	}
	if short, ok := strings.CutSuffix(text, "h0m"); ok {
		text = short + "h"
	}
	return text
}

// axisCount writes numbers of five digits and more in thousands, millions or billions, because an axis has little room.
func axisCount(v float64) string {
	if v < 10_000 {
		return count(v)
	}
	size, unit := 1e3, "k"
	switch {
	case v >= 1e9:
		size, unit = 1e9, "G"
	case v >= 1e6:
		size, unit = 1e6, "M"
	}
	return threeDigits(v/size) + unit
}
