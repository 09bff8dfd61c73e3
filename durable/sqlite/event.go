package sqlite

import (
	"database/sql"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// kind is the kind of an event. Its number and its name are part of the format of the file.
type kind int

const (
	started   kind = iota + 1 // name: the number of the plan; data: the input
	completed                 // name: the key of a call; data: its result
	failed                    // name: the key of a call; data: its error
	fired                     // the first timer is due
	signalled                 // name: of the signal; data: its value
	cancelled
	adopted   // name: the number of the plan with which the run continues
	anew      // name: the number of the plan; data: a beginning
	succeeded // data: the result of the run
	broken    // data: the error of the run
)

// kinds are the names of the kinds in exported histories and in requests.
var kinds = [...]string{
	started: "started", completed: "completed", failed: "failed", fired: "fired", signalled: "signalled", cancelled: "cancelled",
	adopted: "adopted", anew: "anew", succeeded: "succeeded", broken: "broken",
}

// String returns the name of the kind, or its number if this program doesn't know it.
func (k kind) String() string {
	if k < started || k > broken {
		return strconv.Itoa(int(k))
	}
	return kinds[k]
}

// event is a row of the history of a run. The events of a run, in the order in which they were committed, decide what it does.
type event struct {
	n    int64 // number of the row: the order of all events of the file
	at   int64 // nanoseconds of Unix time, by the engine's clock
	kind kind
	name string
	data []byte
}

func (e event) time() time.Time { return time.Unix(0, e.at) }

// sum returns the checksum of e, an event of the run with the given number. Without a checksum, a bit that flips on the disk could
// change what the run does.
func (e event) sum(run int64) int64 {
	data := make([]byte, 0, 24+len(e.name)+len(e.data))
	data = binary.LittleEndian.AppendUint64(data, uint64(run))
	data = binary.LittleEndian.AppendUint64(data, uint64(e.at))
	data = binary.LittleEndian.AppendUint64(data, uint64(e.kind))
	data = append(append(data, e.name...), e.data...)
	return int64(crc32.Checksum(data, castagnoli))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// eventOf reads a row with the eventColumns, and checks its sum. run is the number of the run.
func eventOf(row interface{ Scan(to ...any) error }, run int64) (e event, err error) {
	var sum sql.NullInt64
	if err = row.Scan(&e.n, &e.at, &e.kind, &e.name, &e.data, &sum); err == nil && sum.Valid && sum.Int64 != e.sum(run) {
		err = fault.New(fault.InternalError, fmt.Sprintf("event %d of the history is damaged: it isn't what was written", e.n))
	}
	return e, err
}

const eventColumns = "n, at, kind, coalesce(name, ''), data, sum"

// beginning is the data of an event of the kind anew: the input with which the run begins anew, and the signals that are left.
type beginning struct {
	Generation int      `json:"generation"`
	In         []byte   `json:"in"`
	Signals    []signal `json:"signals,omitempty"`
}

// signal is a signal that no step has received yet.
type signal struct {
	Name  string `json:"name"`
	Value []byte `json:"value"`
}
