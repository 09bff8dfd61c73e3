package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// build makes the rule discount, with the given percentage of the price.
func build(t *testing.T, file, percent string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "build", "-buildmode=c-shared", "-ldflags=-X main.percent="+percent, "-o", file+".new", "./testdata/discount")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	if log, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
}

func ask(h http.Handler, quantity int) string {
	w := httptest.NewRecorder()
	body := strings.NewReader(fmt.Sprintf(`{"Item":"tea","Quantity":%d,"Cents":300}`, quantity))
	h.ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), http.MethodPost, "/price/discount", body))
	return fmt.Sprint(w.Code, " ", strings.TrimSpace(w.Body.String()))
}

// A rule is loaded, replaced, broken and removed, and the endless calculation of one order is stopped.
func TestRules(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "discount.wasm")
	r := newRules(dir)
	h := handler(r)
	load := func() error { return r.load(t.Context()) }
	want := func(quantity int, answer string) {
		t.Helper()
		if got := ask(h, quantity); !strings.HasPrefix(got, answer) {
			t.Errorf("%q, want %q", got, answer)
		}
	}

	if err := load(); err != nil {
		t.Error(err)
	}
	want(12, "404 ")

	build(t, file, "90")
	if err := load(); err != nil {
		t.Fatal(err)
	}
	want(2, `200 {"cents":600}`)
	want(12, `200 {"cents":3240}`)
	want(0, "504 Timeout")
	want(12, `200 {"cents":3240}`)

	build(t, file, "80")
	if err := load(); err != nil {
		t.Fatal(err)
	}
	want(12, `200 {"cents":2880}`)

	if err := os.WriteFile(file, []byte("no module"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := load(); err == nil || !strings.Contains(err.Error(), "rule discount: InvalidRequest: the module isn't valid") {
		t.Error(err)
	}
	want(12, `200 {"cents":2880}`) // the rule before it stays
	if err := load(); err != nil {
		t.Error("it is reported once: ", err)
	}

	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := load(); err != nil {
		t.Error(err)
	}
	want(12, "404 ")
}
