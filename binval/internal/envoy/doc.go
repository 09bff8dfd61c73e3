// Package envoy enters guards of this engine for flows that lock and unlock them by calls, with the functions of §2.7.3.
// All methods of an [Envoy] are called on the loop of its run.
package envoy
