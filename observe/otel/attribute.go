package otel

import (
	"strings"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/observe"
)

// Attributes of spans, events and links, besides those of the semantic conventions.
const (
	RunIDKey     = attribute.Key("asyncsteps.run.id")        // of a run: its number, see observe.Run
	RunParentKey = attribute.Key("asyncsteps.run.parent_id") // of a run: the number of the run that started it
	StepPathKey  = attribute.Key("asyncsteps.step.path")     // of a step: where it stands in the plan, "0/par.1/2"
	StepKindKey  = attribute.Key("asyncsteps.step.kind")     // of a step: its kind, such as "func"
	StepNameKey  = attribute.Key("asyncsteps.step.name")     // of a step: its name or function, see observe.Event.Name
	BranchKey    = attribute.Key("asyncsteps.branch")        // of a link: which branch, "par.1"
	OutcomeKey   = attribute.Key("asyncsteps.outcome")       // of an event: how a handler has answered, "recovered"
	GuardKey     = attribute.Key("asyncsteps.guard")         // of an event: which guard has changed, "breaker payments: open"
	StageKey     = attribute.Key("asyncsteps.stage")         // of an event: a stage of a stream and its numbers, see observe.Stage
	CancelledKey = attribute.Key("asyncsteps.cancelled")     // of a run or step: true if it was cancelled
)

func ofRun(r observe.Run) []attribute.KeyValue {
	attrs := append(ofSite(r.Site()), RunIDKey.Int64(int64(r.ID)))
	if r.Parent != 0 {
		attrs = append(attrs, RunParentKey.Int64(int64(r.Parent)))
	}
	return attrs
}

func ofStep(e observe.Event, path string) []attribute.KeyValue {
	attrs := append(ofSite(e.Site()), StepPathKey.String(path), StepKindKey.String(e.StepKind()))
	if name := e.Name(); name != "" {
		attrs = append(attrs, StepNameKey.String(valid(name)))
	}
	return attrs
}

func ofSite(s fault.Site) []attribute.KeyValue {
	attrs := make([]attribute.KeyValue, 0, 6) // a step has six attributes at most
	if s == (fault.Site{}) {
		return attrs
	}
	return append(attrs, semconv.CodeFilePath(s.File), semconv.CodeLineNumber(s.Line), semconv.CodeFunctionName(s.Func))
}

// ofError returns the attributes of an event that has err. The exception.type is the code of err, because most errors of runs
// have the same Go type.
func ofError(err error) []attribute.KeyValue {
	if err == nil {
		return nil
	}
	attrs := []attribute.KeyValue{
		semconv.ExceptionType(codeOf(err)),
		semconv.ExceptionMessage(valid(fault.InfoOf(err))),
	}
	if p, ok := fault.AsType[*fault.Panic](err); ok && p != nil {
		attrs = append(attrs, semconv.ExceptionStacktrace(valid(string(p.Stack))))
	}
	return attrs
}

func errorType(err error) attribute.KeyValue {
	return semconv.ErrorTypeKey.String(codeOf(err))
}

func codeOf(err error) string { return valid(string(fault.CodeOf(err))) }

// valid makes a text of the program valid UTF-8. Exporters may refuse a whole batch of spans because of one text that isn't.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
