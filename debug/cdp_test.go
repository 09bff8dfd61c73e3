package debug_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	life     = 5 * time.Minute // of a browser, which is killed after that
	patience = time.Minute     // for a condition to become true, however loaded the machine is
)

// browser is a headless Chromium that shows one page. It is controlled through a pipe, by the Chrome DevTools Protocol:
// each message ends with a zero byte.
type browser struct {
	*testing.T

	to      *os.File
	from    *bufio.Reader
	session string
	id      int
}

// newBrowser starts a browser, or skips the test where there is none.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds")
	}
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("Chromium isn't installed: ", err)
	}
	theirs, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	// The context of t ends before the cleanups run, so the browser would be killed instead of closed.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), life)
	cmd := exec.CommandContext(ctx, program,
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
		"--remote-debugging-pipe", "--user-data-dir="+t.TempDir())
	cmd.ExtraFiles = []*os.File{theirs, theirOut} // 3 and 4
	var log bytes.Buffer
	cmd.Stderr = &log           // all processes of the browser share the pipe, and Wait waits for the last of them
	cmd.WaitDelay = time.Minute // but not longer than this after the first one has ended
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	theirOut.Close()
	b := &browser{T: t, to: to, from: bufio.NewReader(from)}
	t.Cleanup(func() { // before the folder is removed, to which the browser writes until it ends
		b.send("Browser.close", nil)
		_, _ = io.Copy(io.Discard, b.from) // otherwise the browser could wait for a reader
		if err := cmd.Wait(); err != nil {
			t.Errorf("the browser: %v\n%s", err, &log)
		}
		cancel()
		to.Close()
		from.Close()
	})
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	b.look(1280, 900, false)
	return b
}

func (b *browser) send(method string, params any) {
	b.id++
	if params == nil {
		params = struct{}{}
	}
	message := map[string]any{"id": b.id, "method": method, "params": params}
	if b.session != "" && !strings.HasPrefix(method, "Browser.") {
		message["sessionId"] = b.session
	}
	text, err := json.Marshal(message)
	if err != nil {
		b.Fatal(err)
	}
	_, _ = b.to.Write(append(text, 0))
}

// call sends a command and waits for the answer.
func (b *browser) call(method string, params, result any) {
	b.Helper()
	if err := b.try(method, params, result); err != nil {
		b.Fatal(err)
	}
}

// try sends a command and waits for the answer. It returns an error if the browser refuses. Events are ignored.
func (b *browser) try(method string, params, result any) error {
	b.Helper()
	b.send(method, params)
	for {
		text, err := b.from.ReadBytes(0)
		if err != nil {
			b.Fatalf("%s: the browser has gone: %v", method, err)
		}
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(text[:len(text)-1], &answer); err != nil { //nolint:musttag // the names are the same without their case
			b.Fatal(err)
		}
		switch {
		case answer.ID != b.id:
			continue
		case answer.Error != nil:
			return fmt.Errorf("%s: %s", method, answer.Error.Message)
		case result != nil:
			return json.Unmarshal(answer.Result, result)
		}
		return nil
	}
}

// eval returns the value of an expression in the page, which may be a promise.
func (b *browser) eval(expression string) string {
	b.Helper()
	got, err := b.tryEval(expression)
	if err != nil {
		b.Fatal(err)
	}
	return got
}

// tryEval is eval where the expression may throw, or the page go while it is evaluated.
func (b *browser) tryEval(expression string) (string, error) {
	b.Helper()
	var answer struct {
		Result           struct{ Value any }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	if err := b.try("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &answer); err != nil {
		return "", err
	}
	if thrown := answer.ExceptionDetails; thrown != nil {
		return "", fmt.Errorf("%s: %s %s", expression, thrown.Text, thrown.Exception.Description)
	}
	return fmt.Sprint(answer.Result.Value), nil
}

// until waits until an expression is true. While the page is loaded or replaced, the expression may throw: then until
// tries again.
func (b *browser) until(expression string) {
	b.Helper()
	look := `new Promise(done => setTimeout(done, 20)).then(() => Boolean(` + expression + `))`
	for deadline := time.Now().Add(patience); ; {
		got, err := b.tryEval(look)
		if got == "true" {
			return
		}
		if time.Now().After(deadline) {
			text, _ := b.tryEval("document.body.innerText")
			b.Fatalf("never true: %s\n%v\n%s", expression, err, text)
		}
	}
}

// next calls act, which leads to another page, and waits until that page has loaded.
func (b *browser) next(act func()) {
	b.Helper()
	b.eval(`window.before = true`) // marks the present page, because the next one may have the same address
	act()
	b.until(`!window.before && document.readyState === "complete"`)
}

// open shows a page.
func (b *browser) open(url string) {
	b.Helper()
	b.next(func() { b.call("Page.navigate", map[string]any{"url": url}, nil) })
	if got := b.eval("location.href"); got != url {
		b.Fatalf("opened %s, and came to %s", url, got)
	}
}

// follow evaluates an expression that leads to another page, such as a click on a link, and waits for that page.
func (b *browser) follow(expression string) {
	b.Helper()
	b.next(func() { b.eval(expression + "; 0") })
}

// look sets the size of the window, and whether the user prefers dark colours.
func (b *browser) look(width, height int, dark bool) {
	b.Helper()
	scheme := map[bool]string{false: "light", true: "dark"}[dark]
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// shoot writes a picture of the whole page to a file, if the test was asked for pictures.
func (b *browser) shoot(name string) {
	b.Helper()
	if *screenshots == "" {
		return
	}
	var shot struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true}, &shot)
	png, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*screenshots, name+".png"), png, 0o644); err != nil {
		b.Fatal(err)
	}
}

// key presses a key.
func (b *browser) key(name string, code int) {
	b.Helper()
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		b.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": name, "windowsVirtualKeyCode": code}, nil)
	}
}
