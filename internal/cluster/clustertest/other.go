//go:build !unix

package clustertest

import "testing"

const noSignals = "skipped: this system has no signal that stops a process"

func takeover(t *testing.T, _ Server) { t.Skip(noSignals) }

func storm(t *testing.T, _ Server, _ int) { t.Skip(noSignals) }
