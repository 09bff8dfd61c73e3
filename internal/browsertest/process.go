// Package browsertest shows web pages to tests in a headless Chromium, which it controls by the Chrome DevTools Protocol.
package browsertest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// These limits end what hangs, not what is slow.
const (
	life     = 8 * time.Minute // a browser is killed after this time
	patience = 3 * time.Minute // a condition must become true within this time
)

var flags = []string{
	"--headless", "--remote-debugging-pipe", "--hide-scrollbars",
	"--no-sandbox",            // root and most containers can't set the sandbox up; the pages are those of the test
	"--disable-dev-shm-usage", // containers give /dev/shm 64 MB
	"--disable-gpu",
	// Timers of a page run on time even if nobody sees the page.
	"--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
	// No updates, and nothing else that a browser does besides showing pages.
	"--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-extensions", "--disable-quic",
	"--disable-sync", "--no-default-browser-check", "--no-first-run", "--no-service-autorun", "--password-store=basic",
	"--disable-breakpad", // its process may outlive the browser
}

// Browser is a headless Chromium that shows one page. Its methods fail the test when something goes wrong, so only the goroutine
// of the test may call them.
type Browser struct {
	*testing.T

	to      *os.File
	from    *bufio.Reader
	log     *bytes.Buffer // the stderr of the browser; to be read after ended
	ended   func() error  // waits for the end of the processes of the browser
	session string        // session of the page; "" before there is a page
	id      int           // number of the last command
	width   int           // width of the window
}

// program returns the path of Chromium. It returns an error if Chromium doesn't run here. The program of Ubuntu's package, for
// example, only asks to install a snap.
var program = sync.OnceValues(func() (string, error) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		return "", err
	}
	return path, exec.CommandContext(context.Background(), path, "--version").Run()
})

// New starts a browser with an empty page of 1280 × 900. The browser ends with the test. New skips the test if there is no
// Chromium, and with -short.
func New(t *testing.T) *Browser {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds")
	}
	chromium, err := program()
	if err != nil {
		t.Skip("there is no Chromium: ", err)
	}
	return begin(t, chromium)
}

// begin is New with the Chromium at the given path. If the browser dies before it has shown a page, which says nothing about the
// page, begin starts another one, twice at most.
func begin(t *testing.T, chromium string) *Browser {
	t.Helper()
	for starts := 1; ; starts++ {
		b := &Browser{T: t}
		b.start(chromium)
		err := b.showPage()
		switch {
		case err == nil:
			b.Look(1280, 900, false)
			return b
		case !errors.Is(err, errGone):
			t.Fatal(err)
		case starts == 3:
			b.gone(err)
		}
		t.Logf("the browser has died at its start: %v, %v", err, b.ended())
	}
}

// showPage opens the page that the browser shows from now on.
func (b *Browser) showPage() error {
	b.Helper()
	var target struct{ TargetID string }
	if err := b.ask("Target.createTarget", map[string]any{"url": "about:blank"}, &target); err != nil {
		return err
	}
	var attached struct{ SessionID string }
	if err := b.ask("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached); err != nil {
		return err
	}
	b.session = attached.SessionID
	return nil
}

// start starts the process with its own profile, and registers cleanups that end it with the test.
func (b *Browser) start(chromium string) {
	b.Helper()
	// Not t.TempDir, which fails the test if a file appears while the folder is removed.
	profile, err := os.MkdirTemp("", "browsertest")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(profile) })
	theirs, to, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	from, theirOut, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	// The context of the test ends before its cleanups run, so the browser would be killed instead of closed.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.Context()), life)
	cmd := exec.CommandContext(ctx, chromium, append(flags, "--user-data-dir="+profile)...)
	cmd.ExtraFiles = []*os.File{theirs, theirOut} // 3 and 4
	b.log = new(bytes.Buffer)
	cmd.Stderr = b.log          // all processes of the browser share the pipe, and Wait waits for the last of them
	cmd.WaitDelay = time.Minute // but Wait gives up this long after the main process has ended
	err = cmd.Start()
	_ = theirs.Close()
	_ = theirOut.Close()
	if err != nil {
		cancel()
		b.Fatal(err)
	}
	b.to, b.from, b.ended = to, bufio.NewReader(from), sync.OnceValue(cmd.Wait)
	b.Cleanup(func() { // before the profile is removed, to which the browser writes until it ends
		b.send("Browser.close", nil)
		_, _ = io.Copy(io.Discard, b.from) // otherwise the browser may wait for a reader
		if err := b.ended(); err != nil {
			b.Logf("the browser ended with: %v", err) // not a failure: the test has seen what it wanted
		}
		cancel()
		_ = to.Close()
		_ = from.Close()
	})
}

func (b *Browser) gone(err error) {
	b.Helper()
	ended := b.ended()
	log := b.log.String()
	b.Fatalf("%v, %v\n%s", err, ended, log[max(0, len(log)-4096):])
}
