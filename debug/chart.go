package debug

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

type chart struct {
	Label  string
	Points string // the points of an SVG polyline, in a box of chartWidth by chartHeight
	Last   string
	Most   string
}

const (
	chartWidth  = 300
	chartHeight = 40
)

// newChart draws one figure of the samples, the oldest on the left. Fewer than two samples give no points.
func newChart[S any](label string, samples []S, value func(S) float64, say func(float64) string) chart {
	c := chart{Label: label}
	if len(samples) < 2 {
		return c
	}
	most := 0.0
	for _, s := range samples {
		most = max(most, value(s))
	}
	var points strings.Builder
	for i, s := range samples {
		x := chartWidth - float64(len(samples)-1-i)*chartWidth/(maxSamples-1)
		y := chartHeight - 2 - value(s)/max(most, 1e-9)*(chartHeight-4)
		fmt.Fprintf(&points, "%.1f,%.1f ", x, y)
	}
	c.Points = strings.TrimSpace(points.String())
	c.Last, c.Most = say(value(samples[len(samples)-1])), say(most)
	return c
}

func count(v float64) string { return strconv.Itoa(int(v)) }

func figure(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

func seconds(v float64) string { return span(v * float64(time.Second)).String() }
