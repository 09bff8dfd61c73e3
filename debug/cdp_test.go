package debug_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// browser is a headless Chromium that is told what to do over a pipe, in the Chrome
// DevTools Protocol: a message each way, ended by a zero byte. It shows one page.
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
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	cmd := exec.CommandContext(ctx, program,
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
		"--remote-debugging-pipe", "--user-data-dir="+t.TempDir())
	cmd.ExtraFiles = []*os.File{theirs, theirOut} // 3 and 4
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	theirOut.Close()
	b := &browser{T: t, to: to, from: bufio.NewReader(from)}
	t.Cleanup(func() {
		b.send("Browser.close", nil)
		_ = cmd.Wait()
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

// call asks for something and waits for the answer. Events are passed over.
func (b *browser) call(method string, params, result any) {
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
			b.Fatalf("%s: %s", method, answer.Error.Message)
		case result != nil:
			if err := json.Unmarshal(answer.Result, result); err != nil {
				b.Fatal(err)
			}
		}
		return
	}
}

// eval gives the value of an expression in the page, which may be a promise.
func (b *browser) eval(expression string) string {
	b.Helper()
	var answer struct {
		Result           struct{ Value any }
		ExceptionDetails *struct{ Text string }
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &answer)
	if answer.ExceptionDetails != nil {
		b.Fatalf("%s: %s", expression, answer.ExceptionDetails.Text)
	}
	return fmt.Sprint(answer.Result.Value)
}

// until waits for an expression to be true, as long as the browser may live.
func (b *browser) until(expression string) {
	b.Helper()
	if got := b.eval(`new Promise(done => { let n = 0; const look = () => { if (` + expression + `) done(true); else if (++n > 1000) done(false); else setTimeout(look, 20); }; look(); })`); got != "true" {
		b.Fatalf("never true: %s\n%s", expression, b.eval("document.body.innerText"))
	}
}

// open shows a page.
func (b *browser) open(url string) {
	b.Helper()
	b.call("Page.navigate", map[string]any{"url": url}, nil)
	b.until(fmt.Sprintf("location.href === %q && document.readyState === 'complete'", url))
}

// look sets the size of the window, and whether the person likes it dark.
func (b *browser) look(width, height int, dark bool) {
	b.Helper()
	scheme := map[bool]string{false: "light", true: "dark"}[dark]
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// shoot writes a picture of the whole page, if pictures are wanted.
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
