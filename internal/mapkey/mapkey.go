// Package mapkey checks whether users' values can be keys of maps.
package mapkey

import (
	"reflect"

	"github.com/futoin-go/asyncsteps/fault"
)

// Check returns an error if a map can't find k again, because k differs from itself, as NaN does. It panics if comparing k
// panics, as with a slice in an interface. Call it before taking a lock: looking k up in a map would panic under the lock.
func Check[K comparable](k K) error {
	if again := k; again != k {
		return fault.New(fault.InvalidRequest, "the key differs from itself, like NaN, so it can't be found again")
	}
	return nil
}

// Comparable reports whether k can be compared, so that a map can look it up.
func Comparable[K comparable](k K) bool { return reflect.ValueOf(&k).Elem().Comparable() }
