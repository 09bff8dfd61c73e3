package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// Ctrl-C: requests in flight get their answers, and no more are sent.
func TestInterruptFinishesRequestsInFlight(t *testing.T) {
	asked, left := make(chan string, 3), make(chan string, 3)
	reviews := httptest.NewServer(hang(asked, left, "reviews"))
	defer reviews.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		<-asked
		interrupt()
	}()
	file := dataFile(t, strings.Repeat(`{"request":"GET /products/KB-1001","status":200,"answer":{}}`+"\n", 50))
	status, stdout, stderr := program(ctx, t, "-data", file, "-workers", "1", "-timeout", "200ms", "-serve", "-backend", "reviews="+reviews.URL)
	if status != exitOther {
		t.Errorf("exit status %d, want %d: not all was sent", status, exitOther)
	}
	// A second request may have been taken by a worker before the interrupt.
	if out := squeeze(stdout); !strings.Contains(out, "requests 50 answers 1 200 OK 1 ") && !strings.Contains(out, "requests 50 answers 2 200 OK 2 ") {
		t.Errorf("the request in flight was not answered:\n%s%s", stdout, stderr)
	}
	<-left // the call of the backend has ended
}

func TestInterruptEndsServing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process can be sent an interrupt")
	}
	file := dataFile(t, `{"request":"GET /","status":404,"answer":{"error":{"code":"NotFound","info":"products are at /products/{sku}"}}}`)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-serve", "-data", file)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	url, said := "", ""
	for lines := bufio.NewScanner(log); !strings.Contains(said, "curl") && lines.Scan(); {
		said += lines.Text() + "\n"
		fmt.Sscanf(lines.Text(), "gateway %s", &url)
	}
	client := &http.Client{Transport: new(http.Transport)}
	defer client.CloseIdleConnections() // one connection is open at the signal
	if status, body := get(t, client, url+"/products/KB-1001"); status != http.StatusOK {
		t.Errorf("got %d %s", status, body)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(log)
	if err := cmd.Wait(); err != nil || strings.Contains(string(rest), "goroutine") {
		t.Errorf("%v, said\n%s%s", err, said, rest)
	}
}
