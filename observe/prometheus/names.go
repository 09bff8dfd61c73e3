package prometheus

import (
	"strings"
	"sync"

	prom "github.com/prometheus/client_golang/prometheus"
)

const usualNames = 1000

// other is the value of a label for names beyond the bound.
const other = "other"

// values are the values of two labels of one metric, or the value of a single label and "".
type values = [2]string

// names are the values that a label, or a pair of labels, has had so far. Pairs are bounded as well as single values, because a
// metric with two labels may have a series for each pair.
type names struct {
	most   int
	folded prom.Counter // counts the uses of names beyond the bound

	mu    sync.RWMutex
	known map[values]values // for given values, the same values as valid UTF-8
}

func newNames(most int, folded prom.Counter) *names {
	return &names{most: most, folded: folded, known: make(map[values]values)}
}

func (n *names) of(name string) string {
	value, _ := n.pair(name, "")
	return value
}

// pair returns the values of two labels for two names: both are other if there are too many pairs.
func (n *names) pair(first, second string) (a, b string) {
	key := values{first, second}
	n.mu.RLock()
	pair, known := n.known[key]
	full := len(n.known) >= n.most
	n.mu.RUnlock()
	if !known && !full {
		pair, known = n.add(key)
	}
	if !known {
		n.folded.Inc()
		return other, other
	}
	return pair[0], pair[1]
}

// add makes key known, unless there is no room left.
func (n *names) add(key values) (pair values, known bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if pair, known = n.known[key]; !known && len(n.known) < n.most {
		pair, known = values{valid(key[0]), valid(key[1])}, true
		n.known[key] = pair
	}
	return pair, known
}

// valid makes s valid UTF-8, which Prometheus requires of a label.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
