package main

import "gonum.org/v1/plot/plotter"

// chart is a picture of how one cost grows with one size.
type chart struct {
	file, title, y string
	// each is set if y is the cost of one of n. The axis of y then begins at zero. Otherwise y is the cost of all n, and the axis
	// is logarithmic.
	each  bool
	lines []line
}

// line selects the figures in one unit of a row and column, for all sizes.
type line struct {
	label, row, column, unit string
}

var charts = []chart{
	{
		file: "depth.svg", title: "Depth: n levels of sub-steps, and n steps in a row", y: "ns for all",
		lines: []line{
			{"levels, asyncsteps", "Into", us, "ns/op"},
			{"levels, ro", "Into", "ro", "ns/op"},
			{"levels, calls", "Into", "floor", "ns/op"},
			{"steps, asyncsteps", "Steps", us, "ns/op"},
			{"steps, ro", "Steps", "ro", "ns/op"},
			{"steps, eino", "Steps", "eino", "ns/op"},
			{"steps, calls", "Steps", "floor", "ns/op"},
		},
	},
	{
		file: "width.svg", title: "Width: n branches side by side", y: "ns for all",
		lines: []line{
			{"asyncsteps", "Par", us, "ns/op"},
			{"goroutines", "Par", "goroutine", "ns/op"},
			{"errgroup", "Par", "errgroup", "ns/op"},
			{"conc", "Par", "conc", "ns/op"},
			{"ants", "Par", "ants", "ns/op"},
			{"pond", "Par", "pond", "ns/op"},
			{"calls", "Par", "floor", "ns/op"},
		},
	},
	{
		file: "live.svg", title: "Live runs: the life of one among n", y: "ns for one", each: true,
		lines: []line{
			{"asyncsteps", "Suspended", us, "ns/flow"},
			{"goroutines", "Suspended", "goroutine", "ns/flow"},
		},
	},
	{
		file: "memory.svg", title: "Live runs: the memory of one of n suspended ones", y: "bytes for one", each: true,
		lines: []line{
			{"asyncsteps", "Suspended", us, "B/flow"},
			{"goroutines", "Suspended", "goroutine", "B/flow"},
		},
	},
	{
		file: "timers.svg", title: "Timers: the life of one among n", y: "ns for one", each: true,
		lines: []line{
			{"armed and fired, asyncsteps", "TimersFire", us, "ns/timer"},
			{"armed and stopped, asyncsteps", "TimersStop", us, "ns/timer"},
			{"armed and stopped, time.Timer", "TimersStop", "time", "ns/timer"},
		},
	},
}

// plots shows the pictures on the page.
func (p *printer) plots() {
	p.line("## Growth")
	p.line("")
	for _, c := range charts {
		p.line("[![%s](%s)](%[2]s)", c.title, c.file) // with a link, because the picture is small on a telephone
	}
	p.line("")
}

func (l line) points(f *figures) plotter.XYs {
	var points plotter.XYs
	for _, k := range f.keys {
		values := f.samples[k][l.unit]
		if k.row == l.row && k.column == l.column && len(values) > 0 {
			points = append(points, plotter.XY{X: float64(k.size), Y: median(values)})
		}
	}
	return points
}
