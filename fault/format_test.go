package fault_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
)

func site(line int) fault.Site {
	return fault.Site{File: "/src/shop/page.go", Line: line, Func: "example.com/shop.newPage"}
}

// page returns the error of a run that was raised in a parallel branch and has passed three levels
// while a sibling failed too.
func page() *fault.Error {
	declared := fault.Wrap(fault.CommError, "no price", io.ErrUnexpectedEOF)
	return &fault.Error{
		Code:  declared.Code,
		Info:  declared.Info,
		Cause: declared,
		Path:  "0/par.1/0",
		Name:  "price",
		Site:  site(12),
		Unwind: []fault.Frame{
			{Path: "0/par.1/0", Name: "price", Kind: "func", Site: site(12), What: fault.Silent},
			{Path: "0", Kind: "par", Site: site(10)},
			{Path: "", Name: "page", Kind: "plan", What: fault.Spent},
		},
		Secondary: []error{
			errors.New("close: broken pipe"),
			&fault.Error{Code: fault.InternalError, Path: "0/par.2/0", Cause: &fault.Panic{
				Value: "bad hook",
				Stack: []byte("goroutine 7 [running]:\nmain.hook()\n\t/src/shop/hook.go:3 +0x1d\n"),
			}},
		},
	}
}

func TestError(t *testing.T) {
	longer := fault.Wrap("A", "outer", fault.Wrap("A", "inner", io.EOF))
	named := &fault.Error{Code: "A", Name: "x"}
	for _, tt := range []struct {
		err    error
		want   string
		reason string
	}{
		{page(), `CommError: no price (at 0/par.1/0 "price"): unexpected EOF (and 2 more)`, "a declared cause isn't said twice"},
		{fault.New("A", ""), "A", "code only"},
		{new(fault.Error), "InternalError", "the zero Error"},
		{(*fault.Error)(nil), "<nil>", "as fmt prints it"},
		{named, `A (at "x")`, "a name without a path"},
		{longer, "A: outer: inner: EOF", "what a cause of the same code adds is kept"},
		{&fault.Error{Code: "A", Info: "step 0/1 was late", Path: "0/1"}, "A: step 0/1 was late", "the info has the path"},
		{&fault.Error{Code: "A", Info: "step 0/1 x was late", Path: "0/1", Name: "x"}, "A: step 0/1 x was late", "and the name"},
		{&fault.Error{Code: "A", Info: "step 0/1 was late", Path: "0/1", Name: "f:3"}, `A: step 0/1 was late (at "f:3")`, "but no name"},
		{&fault.Error{Code: "A", Info: `step "x \" y" › 0/1 was late`, Path: "0/1"}, `A: step "x \" y" › 0/1 was late`, "and a name around it"},
		{&fault.Error{Code: "A", Info: "step 0/1: too late", Path: "0/1"}, "A: step 0/1: too late", "a colon after the path"},
		{&fault.Error{Code: "A", Info: "step 0/1 x: too late", Path: "0/1", Name: "x"}, "A: step 0/1 x: too late", "or after the name"},
		{&fault.Error{Code: "A", Info: "step 0/1", Path: "0/1"}, "A: step 0/1 (at 0/1)", "nothing but the path"},
		{fault.Wrap("Bad", "Badly done: Bad: inner", fault.New("Bad", "inner")), "Bad: Badly done: Bad: inner", "the code isn't the beginning of a word"},
		{&fault.Error{Code: "A", Info: "step 0/1 was late", Path: "0"}, "A: step 0/1 was late (at 0)", "another path"},
		{fault.Wrap("A", "outer: EOF", io.EOF), "A: outer: EOF", "the info ends with the text of the cause"},
		{fault.Wrap("A", "outer: B: inner", fault.New("B", "inner")), "A: outer: B: inner", "nor is a cause with a code said twice"},
		{fault.Wrap("A", "outer: A: inner", fault.New("A", "inner")), "A: outer: A: inner", "or the same code"},
		{fault.Wrap("A", "no EOF", io.EOF), "A: no EOF: EOF", "the info has another meaning"},
		{fault.Wrap("A", "x", fault.Code("A")), "A: x", "the code as cause adds nothing"},
		{fault.Wrap("A", "x", fault.Code("B")), "A: x: B", "another code does"},
		{fault.Wrap("A", "x", raised(errSoldOut)), "A: x: SoldOut: nothing left (at 0/par.1)", "an error replaced by another"},
		{fault.Wrap("SoldOut", "", raised(errSoldOut)), "SoldOut: nothing left (at 0/par.1)", "a code that the cause says as well"},
		{fault.Wrap("A", "", fmt.Errorf("b: %w", fault.New("A", ""))), "b: A", "also in another text"},
		{&fault.Error{Code: "A", Info: "b: A", Cause: fmt.Errorf("b: %w", fault.Code("A")), Path: "0"}, "b: A (at 0)", "a bare one"},
		{&fault.Error{Code: "SoldOut", Info: "nothing left", Cause: raised(errSoldOut), Path: "1"}, "SoldOut: nothing left (at 0/par.1) (at 1)", "raised again at another step"},
		{&fault.Error{Code: "SoldOut", Info: "nothing left", Cause: fmt.Errorf("page 7: %w", raised(errSoldOut)), Path: "0/par.1"}, "page 7: SoldOut: nothing left (at 0/par.1)", "at the same step"},
		{fault.Wrap("A", "", errors.Join(io.EOF, io.ErrNoProgress)), "A: EOF; multiple Read calls return no data or error", "one line"},
		{fault.New("A", "1\n2\r\x1b[31m\xff"), "A: 1; 2  [31m\uFFFD", "foreign text can't forge lines"},
		{fault.Wrap("A", "", hostile{}), "A: %!v(PANIC=Error method: hostile)", "an Error method that panics"},
		{plain(io.EOF), "EOF (at 0)", "a Go error without a code reads as itself"},
		{&fault.Error{Info: "EOF", Cause: plain(io.EOF), Path: "0"}, "EOF (at 0)", "and so it does as handlers are given it"},
		{plain(errors.Join(io.EOF, io.ErrNoProgress)), "EOF; multiple Read calls return no data or error (at 0)", "on one line"},
		{plain(fmt.Errorf("a: %w", errSoldOut)), "InternalError: a: SoldOut: nothing left (at 0)", "a code inside: somebody has decided otherwise"},
		{wrapping(fmt.Errorf("page 7: %w", errSoldOut)), "page 7: SoldOut: nothing left (at 0)", "a text around the code and the info stands for them"},
		{wrapping(tacit{errSoldOut}), "SoldOut: nothing left (at 0): no luck", "another one is said as well"},
		{wrapping(fmt.Errorf("page 7: %w", raised(errSoldOut))), "page 7: SoldOut: nothing left (at 0/par.1) (at 0)", "with its place"},
		{fault.Wrap("A", "", errors.New("Arrived")), "A: Arrived", "a text that only happens to have the code in it"},
		{fault.Wrap(fault.InternalError, "reading", io.EOF), "InternalError: reading: EOF", "a defect that says so itself"},
		{fault.Wrap("A", "EOF", io.EOF), "A: EOF", "any other code is said"},
		{&fault.Error{Code: "A", Site: site(3)}, "A (built at page.go:3)", "an error of no run says where its step was built"},
		{&fault.Error{Code: "A", Name: "x", Site: site(3)}, `A (at "x", built at page.go:3)`, "and its name"},
		{&fault.Error{Code: "A", Path: "0", Site: site(3)}, "A (at 0)", "in a run the path says it"},
		{&fault.Error{Code: fault.Cancelled, Info: "Cancelled: shut", Cause: fault.New(fault.Cancelled, "shut"), Path: "0"}, "Cancelled: shut (at 0)", "a cancel whose reason has the same code"},
		{&fault.Error{Code: fault.Cancelled, Info: "Timeout: late: EOF", Cause: fault.Wrap(fault.Timeout, "late", io.EOF), Path: "0"}, "Cancelled: Timeout: late: EOF (at 0)", "one whose reason has another code"},
		{&fault.Error{Code: "A", Info: "it is late", Cause: fault.New("A", "late")}, "A: it is late: late", "an info that only has the other one in it"},
		{&fault.Panic{Value: 42}, "panic: 42", "a panic"},
		{(*fault.Panic)(nil), "panic", "a nil panic"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("got  %s\nwant %s\nreason: %s", got, tt.want, tt.reason)
		}
	}
}

// plain returns the error of a run that has failed with err, as if err had no code.
func plain(err error) *fault.Error {
	return &fault.Error{Code: fault.InternalError, Info: err.Error(), Cause: err, Path: "0"}
}

// wrapping returns the error of a run that has failed with an error that wraps errSoldOut.
func wrapping(err error) *fault.Error {
	return &fault.Error{Code: errSoldOut.Code, Info: errSoldOut.Info, Cause: err, Path: "0"}
}

type tacit struct{ error }

func (tacit) Error() string { return "no luck" }

func (t tacit) Unwrap() error { return t.error }

type hostile struct{}

func (hostile) Error() string { panic("hostile") }

func TestFormatVerbs(t *testing.T) {
	err := fault.New("A", `b"c`)
	for verb, want := range map[string]string{
		"%v":   `A: b"c`,
		"%s":   `A: b"c`,
		"%q":   `"A: b\"c"`,
		"%10v": `    A: b"c`,
		"%d":   `%!d(string=A: b"c)`,
		"%+v":  `A: b"c`,
	} {
		if got := fmt.Sprintf(verb, err); got != want {
			t.Errorf("%s prints %s, want %s", verb, got, want)
		}
	}
	if got := fmt.Sprintf("%+v", (*fault.Error)(nil)); got != "<nil>" {
		t.Errorf("nil prints %s", got)
	}
}

func TestFormatUnwind(t *testing.T) {
	rescue := fault.Wrap("NoPage", "", fmt.Errorf("all sources: %w", page()))
	rescue.Path, rescue.Site = "1", site(20)
	want := strings.TrimPrefix(`
NoPage
  raised    1 [page.go:20 shop.newPage]
  caused by: all sources: CommError: no price (at 0/par.1/0 "price"): unexpected EOF (and 2 more)
    raised    0/par.1/0 "price" [page.go:12 shop.newPage]
    silent    0/par.1/0 "price" func [page.go:12 shop.newPage]
    left      0 par [page.go:10 shop.newPage]
    spent     "page" plan
    caused by: unexpected EOF
    also: close: broken pipe
    also: InternalError
      raised    0/par.2/0
      caused by: panic: bad hook
stack of panic: bad hook
  goroutine 7 [running]:
  main.hook()
      /src/shop/hook.go:3 +0x1d`, "\n")
	if diff := cmp.Diff(want, fmt.Sprintf("%+v", rescue)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestFormatSaysNothingTwice(t *testing.T) {
	err := fault.Wrap("A", "outer", fault.Wrap("A", "inner", nil))
	err.Path = "0"
	err.Unwind = []fault.Frame{{Path: "0", Kind: "func", What: fault.Left}, {Path: "1", Kind: "then", What: fault.Left}}
	want := "A: outer\n  raised    0\n  left      1 then\n  caused by: inner"
	if diff := cmp.Diff(want, fmt.Sprintf("%+v", err)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestFormatKeepsSecondaryOfCause(t *testing.T) {
	cause := fault.New("A", "x")
	cause.Secondary = []error{io.EOF}
	want := "A: x\n  caused by: A: x\n    also: EOF"
	if diff := cmp.Diff(want, fmt.Sprintf("%+v", fault.Wrap("A", "x", cause))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestFormatDeepCauses(t *testing.T) {
	err := fault.New("C0", "")
	for i := range 100 {
		err = fault.Wrap(fault.Code(fmt.Sprintf("C%d", i+1)), "", err)
	}
	got := fmt.Sprintf("%+v", err)
	if n := strings.Count(got, "\n"); n > 20 || !strings.HasSuffix(got, ": …") {
		t.Errorf("%d lines for 100 causes:\n%s", n, got)
	}
}

func TestFormatLongTrail(t *testing.T) {
	err := fault.New("A", "")
	for i := range 100_000 {
		err.Unwind = append(err.Unwind, fault.Frame{Path: fmt.Sprint(i)})
	}
	got := fmt.Sprintf("%+v", err)
	for _, want := range []string{"left      0\n", "left      15\n  … 99968 more levels\n  left      99984\n", "left      99999"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestOutcomeString(t *testing.T) {
	for outcome, want := range map[fault.Outcome]string{
		fault.Left:      "left",
		fault.Silent:    "silent",
		fault.Replaced:  "replaced",
		fault.Recovered: "recovered",
		fault.Spent:     "spent",
		200:             "outcome 200",
	} {
		if got := outcome.String(); got != want {
			t.Errorf("Outcome(%d) prints %q, want %q", outcome, got, want)
		}
	}
}

func TestLogValue(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
	log.Error("m", "err", page())
	log.Error("m", "err", fault.New("A", ""))
	log.Error("m", "err", (*fault.Error)(nil))
	twice := fault.Wrap("A", "", &fault.Panic{Value: 1, Stack: []byte("first")})
	twice.Secondary = []error{&fault.Panic{Value: 2, Stack: []byte("second")}}
	log.Error("m", "err", twice)
	want := `level=ERROR msg=m err.code=CommError err.info="no price" err.path=0/par.1/0 err.name=price err.site=page.go:12` +
		` err.cause="CommError: no price: unexpected EOF"` +
		` err.secondary="[close: broken pipe InternalError (at 0/par.2/0): panic: bad hook]"` +
		` err.stack="goroutine 7 [running]:\nmain.hook()\n\t/src/shop/hook.go:3 +0x1d\n"` + "\n" +
		"level=ERROR msg=m err.code=A\n" +
		"level=ERROR msg=m err=<nil>\n" +
		`level=ERROR msg=m err.code=A err.cause="panic: 1" err.secondary="[panic: 2]" err.stack=first` + "\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// An error without a text adds no empty part; %+v prints its type instead.
func TestErrorWithoutText(t *testing.T) {
	e := &fault.Error{Code: fault.InternalError, Cause: errors.New(""), Path: "0"}
	if got, want := e.Error(), "InternalError (at 0)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := fmt.Sprintf("%+v", e), "caused by: *errors.errorString"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want it to end with %q", got, want)
	}
}
