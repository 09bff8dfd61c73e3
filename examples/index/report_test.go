package main

import (
	"crypto/sha256"
	"strings"
	"testing"
)

// A line is what sha256sum prints for the name.
func TestLine(t *testing.T) {
	hash := sha256.Sum256([]byte("x"))
	const text = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
	for name, want := range map[string]string{
		"a b":  text + "  a b",
		`a\b`:  `\` + text + `  a\\b`,
		"a\nb": `\` + text + `  a\nb`,
	} {
		if got := line(hash, name); got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
}

func TestBar(t *testing.T) {
	for _, tt := range []struct {
		terminal bool
		total    int
		lines    int
		last     string
	}{
		{true, 3, 3, "\r[########################################] 3 of 3\n"},
		{true, 1000, 40, "\r[########################################] 1000 of 1000\n"},
		{true, 0, 0, ""},
		{false, 3, 0, ""},
	} {
		var out strings.Builder
		b := &bar{out: &out, terminal: tt.terminal}
		b.expect(make([]string, tt.total))
		for range tt.total {
			b.tick(file{})
		}
		b.end()
		if s := out.String(); strings.Count(s, "\r") != tt.lines || !strings.HasSuffix(s, tt.last) || tt.last == "" && s != "" {
			t.Errorf("%+v: got %q", tt, s)
		}
	}
}
