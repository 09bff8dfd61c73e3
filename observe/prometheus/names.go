package prometheus

import (
	"strings"
	"sync"
)

// mostNames bounds the values of a label, and with them what Prometheus has to
// keep for a program that makes up names as it runs.
const mostNames = 1000

// other stands for the names for which there was no room.
const other = "other"

// names are the values that a label has had.
type names struct {
	mu    sync.RWMutex
	known map[string]string
}

// of is the value for a name.
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
	case known: // by now
	case len(n.known) == mostNames:
		return other
	default:
		value = valid(name)
		n.known[name] = value
	}
	return value
}

// valid makes a label of s, which Prometheus would refuse otherwise.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
