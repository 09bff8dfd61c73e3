package main

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"
)

// With invalid options the worker says so, and leaves all files where they are.
func TestOptions(t *testing.T) {
	for _, tt := range []struct {
		reason, want string
		set          func(*options)
	}{
		{"no scheme", "-to", func(o *options) { o.to = "localhost:8080/orders" }},
		{"no scheme, an address", "-to", func(o *options) { o.to = "127.0.0.1:8080/orders" }},
		{"another scheme", "-to", func(o *options) { o.to = "ftp://server/orders" }},
		{"no host", "-to", func(o *options) { o.to = "http:///orders" }},
		{"nothing", "-to", func(o *options) { o.to = "" }},
		{"no calls", "-rate", func(o *options) { o.rate = 0 }},
		{"no tries", "-tries", func(o *options) { o.attempts = 0 }},
		{"no time", "-timeout", func(o *options) { o.limit = 0 }},
		{"polls without a pause", "-poll", func(o *options) { o.poll = 0 }},
		{"a pause below nothing", "-patience", func(o *options) { o.patience = -time.Second }},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			folder := newSpool(t, "a")
			o := testOptions(folder)
			tt.set(&o)
			var out strings.Builder
			stop, cancel := context.WithCancel(t.Context())
			cancel() // a worker that accepts the options then ends at once
			err := run(stop, o, http.DefaultClient, &out)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) || out.Len() > 0 {
				t.Errorf("got %v, and said %q", err, &out)
			}
			if names := list(t, folder); names != "a" {
				t.Errorf("in the spool are %q", names)
			}
		})
	}
}
