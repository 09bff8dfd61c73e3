package temporal_test

import (
	"strconv"
	"testing"
	"time"

	common "go.temporal.io/api/common/v1"
	enums "go.temporal.io/api/enums/v1"
	history "go.temporal.io/api/history/v1"
	sdk "go.temporal.io/api/sdk/v1"
	taskqueue "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/durable/temporal/durabletest"
)

// madeHistory is a history that is made as a server would write it. So the histories of two workflows can have the same number of
// workflow tasks, which on a server depends on the speed of workers.
type madeHistory struct {
	t    testing.TB
	h    history.History
	task int64 // the event of the last completed workflow task
}

func beginHistory(t testing.TB, name string, in any) *madeHistory {
	m := &madeHistory{t: t}
	m.add(enums.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED, &history.HistoryEvent{Attributes: &history.HistoryEvent_WorkflowExecutionStartedEventAttributes{
		WorkflowExecutionStartedEventAttributes: &history.WorkflowExecutionStartedEventAttributes{
			WorkflowType: &common.WorkflowType{Name: name}, TaskQueue: &taskqueue.TaskQueue{Name: "made"}, Input: m.payloads(in), WorkflowId: name,
			OriginalExecutionRunId: "run", FirstExecutionRunId: "run", Attempt: 1, WorkflowTaskTimeout: durationpb.New(10 * time.Second),
		},
	}})
	m.turn()
	return m
}

func (m *madeHistory) payloads(values ...any) *common.Payloads {
	m.t.Helper()
	p, err := converter.GetDefaultDataConverter().ToPayloads(values...)
	if err != nil {
		m.t.Fatal(err)
	}
	return p
}

func (m *madeHistory) add(kind enums.EventType, e *history.HistoryEvent) int64 {
	e.EventId, e.EventType = int64(len(m.h.GetEvents())+1), kind
	e.EventTime = timestamppb.New(time.Unix(1_700_000_000+e.GetEventId(), 0))
	m.h.Events = append(m.h.GetEvents(), e)
	return e.GetEventId()
}

// turn adds the events of a workflow task. The events of its commands follow.
func (m *madeHistory) turn() {
	scheduled := m.add(enums.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED, &history.HistoryEvent{Attributes: &history.HistoryEvent_WorkflowTaskScheduledEventAttributes{
		WorkflowTaskScheduledEventAttributes: &history.WorkflowTaskScheduledEventAttributes{TaskQueue: &taskqueue.TaskQueue{Name: "made"}, Attempt: 1},
	}})
	started := m.add(enums.EVENT_TYPE_WORKFLOW_TASK_STARTED, &history.HistoryEvent{Attributes: &history.HistoryEvent_WorkflowTaskStartedEventAttributes{
		WorkflowTaskStartedEventAttributes: &history.WorkflowTaskStartedEventAttributes{ScheduledEventId: scheduled},
	}})
	m.task = m.add(enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED, &history.HistoryEvent{Attributes: &history.HistoryEvent_WorkflowTaskCompletedEventAttributes{
		WorkflowTaskCompletedEventAttributes: &history.WorkflowTaskCompletedEventAttributes{
			ScheduledEventId: scheduled, StartedEventId: started, SdkMetadata: &sdk.WorkflowTaskCompletedMetadata{LangUsedFlags: []uint32{3}},
		},
	}})
}

// noted adds the event of the side effect that stores the plan when a run begins.
func (m *madeHistory) noted(plan any) {
	m.add(enums.EVENT_TYPE_MARKER_RECORDED, &history.HistoryEvent{Attributes: &history.HistoryEvent_MarkerRecordedEventAttributes{
		MarkerRecordedEventAttributes: &history.MarkerRecordedEventAttributes{
			MarkerName: "SideEffect", WorkflowTaskCompletedEventId: m.task,
			Details: map[string]*common.Payloads{"data": m.payloads(plan), "side-effect-id": m.payloads(1)},
		},
	}})
}

// called adds the event of a scheduled activity. If id is empty the event has the id that the SDK would give.
func (m *madeHistory) called(activity, id string, in any) (scheduled int64) {
	if id == "" {
		id = strconv.Itoa(len(m.h.GetEvents()) + 1)
	}
	return m.add(enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED, &history.HistoryEvent{Attributes: &history.HistoryEvent_ActivityTaskScheduledEventAttributes{
		ActivityTaskScheduledEventAttributes: &history.ActivityTaskScheduledEventAttributes{
			ActivityId: id, ActivityType: &common.ActivityType{Name: activity},
			TaskQueue: &taskqueue.TaskQueue{Name: "made"}, Input: m.payloads(in), WorkflowTaskCompletedEventId: m.task,
		},
	}})
}

func (m *madeHistory) returned(scheduled int64, out any) {
	started := m.add(enums.EVENT_TYPE_ACTIVITY_TASK_STARTED, &history.HistoryEvent{Attributes: &history.HistoryEvent_ActivityTaskStartedEventAttributes{
		ActivityTaskStartedEventAttributes: &history.ActivityTaskStartedEventAttributes{ScheduledEventId: scheduled, Attempt: 1},
	}})
	m.add(enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED, &history.HistoryEvent{Attributes: &history.HistoryEvent_ActivityTaskCompletedEventAttributes{
		ActivityTaskCompletedEventAttributes: &history.ActivityTaskCompletedEventAttributes{Result: m.payloads(out), ScheduledEventId: scheduled, StartedEventId: started},
	}})
}

func (m *madeHistory) ends(out any) *history.History {
	m.add(enums.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED, &history.HistoryEvent{Attributes: &history.HistoryEvent_WorkflowExecutionCompletedEventAttributes{
		WorkflowExecutionCompletedEventAttributes: &history.WorkflowExecutionCompletedEventAttributes{Result: m.payloads(out), WorkflowTaskCompletedEventId: m.task},
	}})
	return &m.h
}

// activityByHand returns the name and the id of the activity that step i of a row calls, for a plan without the version in the id.
func activityByHand(row string, i int) (name, id string) {
	n := strconv.Itoa(i)
	switch row {
	case "hand keyed chain", "hand keyed select":
		return "inc", "/" + n + "#1"
	case "plan chain":
		return "plan chain." + n, "/" + n + "#1"
	case "plan fan":
		return "plan fan.1/each.N/0", "/1/each." + n + "/0#1"
	default:
		return "inc", ""
	}
}

// madeOf makes the history of a row. If together isn't 0, the row is a fan, and each workflow task but the first brings the
// results of that many activities.
func madeOf(t testing.TB, row string, w durabletest.Workflow, together int) *history.History {
	t.Helper()
	m := beginHistory(t, row, 1)
	activityOf := activityByHand
	if plan, ok := w.(temporal.Workflow); ok {
		activityOf = func(row string, i int) (name, id string) {
			name, call := activityByHand(row, i)
			return name, plan.CallID(name, call)
		}
		first, err := plan.Stored()
		if err != nil {
			t.Fatal(err)
		}
		m.noted(first)
	}
	if together == 0 {
		for i := range benchSteps {
			name, id := activityOf(row, i)
			m.returned(m.called(name, id, 1+i), 2+i)
			m.turn()
		}
		return m.ends(1 + benchSteps)
	}
	scheduled := make([]int64, benchSteps)
	for i := range scheduled {
		name, id := activityOf(row, i)
		scheduled[i] = m.called(name, id, 1+i)
	}
	sum := 0
	for i, s := range scheduled {
		m.returned(s, 2+i)
		sum += 2 + i
		if (i+1)%together == 0 {
			m.turn()
		}
	}
	return m.ends(sum)
}
