package main

import (
	"errors"
	"io"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The size of a picture, and of the strip on its right with the legend.
const (
	width, height = 20 * vg.Centimeter, 11 * vg.Centimeter
	strip         = 6 * vg.Centimeter
	margin        = 0.5 * vg.Centimeter
)

// draw writes the picture into folder, unless there are no figures for it.
func (c chart) draw(f *figures, folder *os.Root) error {
	p, legend := c.axes(), plot.NewLegend()
	legend.Top, legend.Left = true, true
	drawn := 0
	for i, l := range c.lines {
		points := l.points(f)
		if len(points) == 0 {
			continue
		}
		drawn++
		path, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return err
		}
		path.Color, marks.Color, marks.Shape = plotutil.Color(i), plotutil.Color(i), plotutil.Shape(i)
		p.Add(path, marks)
		legend.Add(l.label, path, marks)
	}
	if drawn == 0 {
		return nil // a logarithmic axis needs a point
	}
	if c.each {
		p.Y.Min = 0
	}
	canvas := vgsvg.New(width, height)
	whole := draw.New(canvas)
	p.Draw(draw.Crop(whole, 0, -strip, 0, -margin))
	legend.Draw(draw.Crop(whole, width-strip+margin, 0, 0, -2*margin))
	return save(canvas, folder, c.file)
}

func (c chart) axes() *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.title, "n", c.y
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	if !c.each {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	p.Add(plotter.NewGrid())
	return p
}

func save(picture io.WriterTo, folder *os.Root, name string) error {
	file, err := folder.Create(name)
	if err != nil {
		return err
	}
	_, err = picture.WriteTo(file)
	return errors.Join(err, file.Close())
}
