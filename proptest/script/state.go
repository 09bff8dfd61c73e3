package script

import "github.com/futoin-go/asyncsteps/fault"

// Set sets a state variable.
type Set struct {
	Key   string `json:"key"`
	Value Value  `json:"value"`
}

func (a *Set) check(k *checker) { k.within("set", anywhere) }
func (a *Set) run(c *call)      { c.as.State().Set(a.Key, a.Value.X) }

// Get records a state variable.
type Get struct {
	Key string `json:"key"`
}

func (a *Get) check(k *checker) { k.within("get", anywhere) }
func (a *Get) run(c *call)      { c.note("get", a.Key, c.variable(a.Key)) }

// Inc adds one to a state variable that is an integer, or sets it to 1 if it isn't set or null. With another value it fails the
// step, or ends the hook.
type Inc struct {
	Key string `json:"key"`
}

func (a *Inc) check(k *checker) { k.within("inc", anywhere) }

var errNoNumber = fault.New(fault.InternalError, "incremented a variable that is no integer")

func (a *Inc) run(c *call) {
	n, whole := c.variable(a.Key).X.(int)
	if !whole && c.variable(a.Key).X != nil {
		c.fail(errNoNumber)
		return
	}
	c.as.State().Set(a.Key, n+1)
}

func (c *call) variable(key string) Value {
	v, _ := c.as.State().Get(key)
	return Value{v}
}
