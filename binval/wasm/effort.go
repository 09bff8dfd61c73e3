package wasm

// effort estimates how long the runtime takes to compile functions, in microseconds. The time for some functions grows with the square of
// their branches, and with the product of their branches, their variables and the depth of their loops.
//
// The weights are for the worst code that was found. For other code the estimate may be much too high.
type effort float64

// A module that isn't trusted is compiled only if no function takes more than mostOfFunction, and all functions together take no more
// than mostEffort.
const (
	mostOfFunction = 10_000_000
	mostEffort     = 60_000_000
)

// add adds the effort for one function. A function that takes too much makes the whole module take too much.
func (e *effort) add(function effort) {
	*e += function
	if function > mostOfFunction {
		*e += mostEffort
	}
}

// counts describes the code of a function that has been read so far.
type counts struct {
	branches int // including those that the runtime adds
	calls    int
	loops    int               // loops around the current instruction
	deepest  int               // the largest value of loops so far
	stretch  uint32            // the number of the current stretch, which is code without branches
	written  map[uint32]uint32 // the stretch that each variable was written in last
	carried  map[uint32]bool   // the variables that were read in a stretch before they were written there
}

const branchesOfBlocks = 4

func (c *counts) apart(branches int) {
	c.branches += branches
	c.stretch++
}

func (c *counts) begin(loop bool) {
	c.apart(1)
	if loop {
		c.loops++
		c.deepest = max(c.deepest, c.loops)
	}
}

func (c *counts) end(loop bool) {
	c.apart(0)
	if loop {
		c.loops--
	}
}

// read counts the variable as carried from stretch to stretch if the current stretch hasn't written it before.
func (c *counts) read(variable uint32) {
	if at, ok := c.written[variable]; ok && at == c.stretch {
		return
	}
	if c.carried == nil {
		c.carried = make(map[uint32]bool)
	}
	c.carried[variable] = true
}

func (c *counts) wrote(variable uint32) {
	if c.written == nil {
		c.written = make(map[uint32]uint32)
	}
	c.written[variable] = c.stretch
}

// effort returns the effort for a function with size bytes of code and the given number of variables. Its blocks, and the functions that it
// calls, are assumed to have as many values as the widest type of the module. Up to 16 values are free.
func (c *counts) effort(size int, variables float64, widest uint32) effort {
	const few, each, label = 16, 60, 0.25
	values := float64(max(widest, few) - few)
	branches := float64(c.branches)
	carried := float64(len(c.carried)) + values
	alone := each + float64(size) + variables + values*float64(c.calls) + branches*branches*(1/20.+carried/1000)
	return effort(alone + 2*branches*(carried+label)*float64(1+c.deepest))
}
