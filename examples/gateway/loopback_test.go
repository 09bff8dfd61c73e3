package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The whole program on a real network. There are enough workers for all slow requests to wait at the same time, and limits are long
// enough for a busy machine.
func TestProgram(t *testing.T) {
	status, stdout, stderr := program(t.Context(), t, "-timeout", "3s", "-workers", "32")
	if status != exitExpected {
		t.Errorf("exit status %d\n%s", status, stderr)
	}
	for _, row := range []string{
		"requests 401", "answers 401", "429 Too Many Requests 36", "not as expected 0",
		"rejected 36 Mutex queue limit 16 Throttle queue limit 20",
		"reviews: DefenseRejected 16", "reviews: Timeout 18", "timeouts 18", "latency p99",
	} {
		if !strings.Contains(squeeze(stdout), row) {
			t.Errorf("the table has no row %q:\n%s", row, stdout)
		}
	}
	if !strings.Contains(stderr, "401 of 401 answered") {
		t.Errorf("no progress:\n%s", stderr)
	}
}

func TestExitStatus(t *testing.T) {
	good := `{"request":"GET /","status":404,"answer":{"error":{"code":"NotFound","info":"products are at /products/{sku}"}}}`
	for _, tt := range []struct {
		reason string
		args   []string
		data   string
		status int
		says   string
	}{
		{"as expected", nil, good, exitExpected, "answers 1"},
		{"another status", nil, strings.Replace(good, "404", "200", 1), exitOther, "want 200"},
		{"another answer", nil, strings.Replace(good, "NotFound", "Gone", 1), exitOther, `got 404 {"error":{"code":"NotFound"`},
		{"no expectation", nil, `{"request":"GET /","status":404}`, exitOther, "no answer to expect"},
		{"no request", nil, `{"request":"GET","status":404,"answer":1}` + "\n" + `{"request":"? /","status":404,"answer":1}`, exitOther, "invalid method"},
		{"data that is no JSON", nil, "{", exitBroken, "line 1"},
		{"data with a misspelt name", nil, `{"requets":""}`, exitBroken, "requets"},
		{"no data", nil, "\n", exitBroken, "no requests"},
		{"no file", []string{"-data", "nowhere.jsonl"}, good, exitBroken, "nowhere.jsonl"},
		{"an unknown flag", []string{"-x"}, good, exitBroken, "-x"},
		{"an argument", []string{"x"}, good, exitBroken, `"x"`},
		{"nobody to work", []string{"-workers", "0"}, good, exitBroken, "-workers 0"},
		{"more than can work at a time", []string{"-workers", "33"}, good, exitBroken, "-workers 33"},
		{"a limit of nothing", []string{"-timeout", "0s"}, good, exitBroken, "-timeout 0s"},
		{"a limit that slow ones keep to", []string{"-timeout", "11s"}, good, exitBroken, "-timeout 11s"},
		{"a backend without a name", []string{"-backend", "http://127.0.0.1/"}, good, exitBroken, "no backend"},
		{"a backend without a host", []string{"-backend", "price=127.0.0.1"}, good, exitBroken, "no http URL"},
		{"an address that can't be had", []string{"-addr", "256.0.0.1:0"}, good, exitBroken, "256.0.0.1"},
		{"help", []string{"-h"}, good, exitExpected, "-timeout"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			file := dataFile(t, tt.data)
			status, stdout, stderr := program(t.Context(), t, append([]string{"-data", file}, tt.args...)...)
			if out := squeeze(stdout + stderr); status != tt.status || !strings.Contains(out, tt.says) {
				t.Errorf("exit status %d, want %d and %q in\n%s%s", status, tt.status, tt.says, stdout, stderr)
			}
		})
	}
}

// -backend replaces a backend, and a backend that can't be reached has a fallback.
func TestBackendElsewhere(t *testing.T) {
	price := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"unit":%d}`, len(r.URL.String()))
	}))
	defer price.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	file := dataFile(t, `{"request":"GET /products/KB-1001","status":200,"answer":{"sku":"KB-1001","currency":"EUR","quantity":1,
		"price":{"unit":23,"total":23},"stock":{"left":0,"unknown":true},"reviews":{"stars":0,"latest":[]},
		"fallbacks":{"stock":"ConnectError","reviews":"ConnectError"}}}`)
	status, stdout, stderr := program(t.Context(), t, "-data", file, "-timeout", "5s",
		"-backend", "price="+price.URL+"/p", "-backend", "stock="+gone.URL, "-backend", "reviews="+gone.URL)
	if status != exitExpected {
		t.Errorf("exit status %d\n%s%s", status, stdout, stderr)
	}
}

func program(ctx context.Context, t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, log bytes.Buffer
	status = run(ctx, args, &out, &log)
	return status, out.String(), log.String()
}

func dataFile(t *testing.T, lines string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "requests.jsonl")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(lines, "\n\t\t", "")), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }
