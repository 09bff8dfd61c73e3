// Package bench measures guards of syncx/redis side by side with rueidislock. It is a module of its own for that dependency.
package bench
