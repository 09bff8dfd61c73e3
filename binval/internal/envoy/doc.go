// Package envoy enters guards of this engine for flows that call lock and unlock, the functions of FTN12 §2.7.3.
// All methods of an [Envoy] are called on the loop of its run.
package envoy
