// Package ids has functions that plans of other packages call.
package ids

import (
	"crypto/rand"
	"encoding/hex"
	"io"
	"slices"
	"strings"
	"time"
)

var source = rand.Reader

// New gives another ID each time.
func New() string {
	var b [8]byte
	_, _ = io.ReadFull(source, b[:])
	return hex.EncodeToString(b[:])
}

// Of gives the same ID for the same name.
func Of(name string) string { return strings.ToLower(name) }

// Clock has the time.
type Clock struct{}

// Day gives the day of today.
func (Clock) Day() string { return time.Now().Format(time.DateOnly) }

// Names gives the keys of m in any order.
func Names(m map[string]int) (all []string) {
	for name := range m {
		all = append(all, name)
	}
	return all
}

// Sorted gives the keys of m in order.
func Sorted(m map[string]int) (all []string) {
	for name := range m {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
