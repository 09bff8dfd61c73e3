// Package temporal has the type that docs/from/temporal.md uses.
package temporal

type RetryPolicy struct {
	MaximumAttempts int32
}
