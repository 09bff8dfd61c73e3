package script

import "github.com/futoin-go/asyncsteps/step"

// Log records a message.
type Log struct {
	Msg string `json:"msg"`
}

func (a *Log) check(k *checker) { k.within("log", anywhere) }
func (a *Log) run(c *call)      { c.note("log", a.Msg) }

// GetArgs records the arguments of the callback.
type GetArgs struct{}

func (*GetArgs) check(k *checker) { k.within("args", running) }
func (*GetArgs) run(c *call)      { c.note("args", c.args) }

// ErrInfo records the info of the last error.
type ErrInfo struct{}

func (*ErrInfo) check(k *checker) { k.within("errinfo", running) }
func (*ErrInfo) run(c *call)      { c.note("info", c.errorInfo()) }

// errorInfo returns the info of the last error, or nil.
func (c *call) errorInfo() any {
	if info, ok := c.as.State().Get(step.ErrorInfo); ok && info != "" {
		return info
	}
	return nil
}

// Time records the number of the current tick.
type Time struct{}

func (*Time) check(k *checker) { k.within("time", anywhere) }
func (*Time) run(c *call)      { c.note("time", c.x.now()) }

// Seq appends the name of the flow to a sequence that all flows share.
type Seq struct {
	Name string `json:"name"`
}

func (a *Seq) check(k *checker) { k.within("seq", anywhere) }
func (a *Seq) run(c *call)      { c.x.trace.seq(a.Name, c.strand()) }

// Mark records the number of the current tick without the name of the flow.
type Mark struct {
	Name string `json:"name"`
}

func (a *Mark) check(k *checker) { k.within("mark", anywhere) }
func (a *Mark) run(c *call)      { c.x.trace.mark(a.Name, c.x.now()) }

// Enter adds one to the number of flows in a section.
type Enter struct {
	Name string `json:"name"`
}

func (a *Enter) check(k *checker) { k.within("enter", anywhere) }
func (a *Enter) run(c *call)      { c.x.trace.occupy(a.Name, 1) }

// Leave subtracts one from the number of flows in a section.
type Leave struct {
	Name string `json:"name"`
}

func (a *Leave) check(k *checker) { k.within("leave", anywhere) }
func (a *Leave) run(c *call)      { c.x.trace.occupy(a.Name, -1) }

// strand returns the name of the flow: its root and branches.
func (c *call) strand() string { return c.where.root + c.where.path }

func (c *call) event(kind string, what ...any) {
	if !c.quiet {
		c.note(kind, what...)
	}
}

func (c *call) note(kind string, what ...any) {
	c.x.trace.event(c.strand(), append([]any{kind}, what...))
}
