package browsertest

import (
	"encoding/base64"
	"fmt"
	"time"
)

// Eval returns the value of an expression in the page as text. If the value is a promise Eval waits for it.
func (b *Browser) Eval(expression string) string {
	b.Helper()
	got, err := b.tryEval(expression)
	if err != nil {
		b.Fatal(err)
	}
	return got
}

// tryEval is Eval for an expression that may throw, or that may be interrupted because the page is replaced.
func (b *Browser) tryEval(expression string) (string, error) {
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

// Until waits until an expression is true, and fails the test after some minutes. An expression that throws, perhaps because the
// page is being loaded or replaced, is tried again.
func (b *Browser) Until(expression string) {
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
func (b *Browser) next(act func()) {
	b.Helper()
	b.Eval(`window.before = true`) // marks the current page, because the next one may have the same address
	act()
	b.Until(`!window.before && document.readyState === "complete"`)
}

// Open shows a page, and returns when it has loaded.
func (b *Browser) Open(url string) {
	b.Helper()
	b.next(func() {
		var answer struct{ ErrorText string }
		if b.call("Page.navigate", map[string]any{"url": url}, &answer); answer.ErrorText != "" {
			b.Fatalf("%s: %s", url, answer.ErrorText)
		}
	})
	if got := b.Eval("location.href"); got != url {
		b.Fatalf("opened %s, and came to %s", url, got)
	}
}

// Follow evaluates an expression that leads to another page, such as a click on a link, and waits for that page.
func (b *Browser) Follow(expression string) {
	b.Helper()
	b.next(func() { b.Eval(expression + "; 0") })
}

// Look sets the size of the window, and whether the user prefers dark colours.
func (b *Browser) Look(width, height int, dark bool) {
	b.Helper()
	b.width = width
	scheme := map[bool]string{false: "light", true: "dark"}[dark]
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Window returns the visible part of the page, as a PNG.
func (b *Browser) Window() []byte {
	b.Helper()
	return b.capture(map[string]any{})
}

// Whole returns the whole page, as a PNG.
func (b *Browser) Whole() []byte {
	b.Helper()
	return b.capture(map[string]any{"captureBeyondViewport": true})
}

// Band returns the rows of the page from top to top + height, as wide as the window, as a PNG.
func (b *Browser) Band(top, height int) []byte {
	b.Helper()
	return b.capture(map[string]any{
		"captureBeyondViewport": true, "clip": map[string]any{"x": 0, "y": top, "width": b.width, "height": height, "scale": 1},
	})
}

func (b *Browser) capture(params map[string]any) []byte {
	b.Helper()
	var shot struct{ Data string }
	b.call("Page.captureScreenshot", params, &shot)
	png, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		b.Fatal(err)
	}
	return png
}

// Press presses and releases the key with the given name and code, such as "Tab" and 9.
func (b *Browser) Press(key string, code int) {
	b.Helper()
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		b.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key, "windowsVirtualKeyCode": code}, nil)
	}
}
