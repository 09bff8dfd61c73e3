package observe_test

import (
	"bytes"
	"context"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
)

// written logs to a buffer, without times.
func written(to *bytes.Buffer) *slog.Logger {
	return slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
}

// ids matches the numbers of runs, which depend on earlier tests.
var ids = regexp.MustCompile(`(run|parent)=\d+`)

func TestLog(t *testing.T) {
	var out bytes.Buffer
	inner := flow.Named("inner", flow.Of(plantest.Named("i", nil)))
	plan := flow.Named("outer", flow.Catch(flow.Then(plantest.Delay("w", time.Second), plantest.Named("bad", errBad)),
		func(as step.Scope, err error) step.Next[step.Unit] {
			flow.Start(context.WithoutCancel(as.Context()), as.Loop(), inner, step.Unit{})
			return step.Fail[step.Unit](context.Canceled)
		}))
	runPlan(t, observe.Log(written(&out), slog.LevelInfo), plan, step.Unit{})
	want := strings.TrimPrefix(`
level=INFO msg="step start" plan=outer run=N at=0s step=outer path=0
level=INFO msg="step start" plan=outer run=N at=0s step=w path=0/0
level=INFO msg=suspended plan=outer run=N at=0s step=w path=0/0
level=INFO msg=resumed plan=outer run=N at=1s step=w path=0/0
level=INFO msg="step end" plan=outer run=N at=1s step=w path=0/0
level=INFO msg="step start" plan=outer run=N at=1s step=bad path=0/1
level=INFO msg=raised plan=outer run=N at=1s step=bad path=0/1 code=Bad info="bad luck"
level=INFO msg="step end" plan=outer run=N at=1s step=bad path=0/1 code=Bad info="bad luck"
level=INFO msg=handled plan=outer run=N at=1s step=outer path=0 outcome=replaced code=Bad info="bad luck"
level=INFO msg=raised plan=outer run=N at=1s step=outer path=0 code=Cancelled info="context canceled"
level=INFO msg="step end" plan=outer run=N at=1s step=outer path=0 code=Cancelled info="context canceled"
level=INFO msg="run end" plan=outer run=N at=1s code=Cancelled info="context canceled"
level=INFO msg="step start" plan=inner run=N parent=N at=0s step=inner path=0
level=INFO msg="step end" plan=inner run=N parent=N at=0s step=inner path=0
level=INFO msg="run end" plan=inner run=N parent=N at=0s
`, "\n")
	if diff := cmp.Diff(want, ids.ReplaceAllString(out.String(), "$1=N")); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

func TestLogThatIsOff(t *testing.T) {
	var out bytes.Buffer
	o := observe.Log(written(&out), slog.LevelDebug)
	if _, watch := o.Start(t.Context(), observe.Run{}); watch != nil {
		t.Error("the run is observed")
	}
	runPlan(t, o, plantest.Named("a", nil), step.Unit{})
	if out.Len() > 0 {
		t.Errorf("written: %s", &out)
	}
}

func TestLogToDefault(t *testing.T) {
	before := slog.Default()
	defer slog.SetDefault(before)
	var out bytes.Buffer
	slog.SetDefault(written(&out))
	runPlan(t, observe.Log(nil, slog.LevelInfo), plantest.Named("a", nil), step.Unit{})
	if !strings.Contains(out.String(), "step start") {
		t.Errorf("written: %q", &out)
	}
}
