package prometheus

import (
	"strings"
	"sync"
)

// mostNames bounds the number of values of a label, and with it the memory that Prometheus needs for a program that
// makes up names at run time.
const mostNames = 1000

// other is the value for names that exceed mostNames.
const other = "other"

// names are the values that a label has had so far.
type names struct {
	mu    sync.RWMutex
	known map[string]string
}

// of returns the value of the label for name.
func (n *names) of(name string) string {
	n.mu.RLock()
	value, known := n.known[name]
	n.mu.RUnlock()
	if known {
		return value
	}
	return n.add(name)
}

func (n *names) add(name string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known == nil {
		n.known = make(map[string]string)
	}
	value, known := n.known[name]
	switch {
	case known: // another goroutine has added it meanwhile
	case len(n.known) == mostNames:
		return other
	default:
		value = valid(name)
		n.known[name] = value
	}
	return value
}

// valid makes s valid UTF-8, which Prometheus requires of a label.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
