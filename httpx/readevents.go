package httpx

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"

	"github.com/futoin-go/asyncsteps/fault"
)

// maxEvent is the length of the longest event, in bytes.
const maxEvent = 1 << 20

// Event is one of the server-sent events of an answer, see [ReadEvents].
type Event struct {
	// Type is the value of the field event, or "message" if that is missing or empty.
	Type string
	// ID is the field id of this event, or else of the last event before it that had one.
	ID string
	// Data is the text of the fields data, one a line.
	Data string
}

// ReadEvents reads an answer of server-sent events, such as one of [Events]. [CallEvents] makes a step that reads one; ReadEvents
// is for code that has the answer already, such as the decode of a step of [Call]:
//
//	for event, err := range httpx.ReadEvents(r) {
//		if err != nil {
//			return text, err
//		}
//		…
//	}
//
// An error is the last element: a [*StatusError] for a status other than 2xx; fault.CommError if the answer has another
// Content-Type, breaks off, ends within an event, or has an event or a comment of more than a mebibyte; fault.Timeout if the
// Timeout of the http.Client, or a deadline of the request's context, has passed. The next event is read when the body of the loop
// has ended. ReadEvents doesn't connect again, and leaves the body of r open. Comments and the field retry are skipped.
func ReadEvents(r *http.Response) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		err := CheckStatus(r)
		if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); err == nil && kind != "text/event-stream" {
			err = fault.New(fault.CommError, fmt.Sprintf("the answer has no events, but the content type %q", kind))
		}
		if err != nil {
			yield(Event{}, err)
			return
		}
		from := &eventReader{from: bufio.NewReader(r.Body)}
		from.skipMark()
		for {
			event, err := from.next()
			switch {
			case err == io.EOF: //nolint:errorlint // an error that wraps io.EOF is a break
				return
			case err != nil:
				yield(Event{}, broke("the events broke off", err))
				return
			case !yield(event, nil):
				return
			}
		}
	}
}

// eventReader reads the format of the HTML standard, section 9.2.
type eventReader struct {
	from  *bufio.Reader
	id    string // the id of the last event that had one
	skip  bool   // the last line ended with \r, and a \n may follow
	bytes int    // the length of the event so far, with the comment that is being read
	line  []byte
	data  []byte // the buffer in which next collects the data of an event
}

var (
	errWithin  = errors.New("the end is within an event")
	errTooLong = fmt.Errorf("an event has more than %d bytes", maxEvent)
)

func (r *eventReader) skipMark() {
	const mark = "\uFEFF"
	if head, _ := r.from.Peek(len(mark)); string(head) == mark {
		_, _ = r.from.Discard(len(mark)) // Peek has returned these bytes
	}
}

// next returns the next event that has data, or io.EOF if the answer ends between two events.
func (r *eventReader) next() (Event, error) {
	event := Event{Type: "message"}
	data := r.data[:0]
	defer func() { r.data = data }()
	has, within := false, false
	r.bytes = 0
	for {
		line, err := r.readLine()
		switch {
		case err == io.EOF && (within || len(line) > 0 && line[0] != ':'): //nolint:errorlint // as above
			return event, errWithin
		case err != nil:
			return event, err
		case len(line) > 0 && line[0] == ':': // a comment is no part of the event
			r.bytes -= len(line)
		case len(line) > 0:
			name, value, _ := bytes.Cut(line, []byte(":"))
			value = bytes.TrimPrefix(value, []byte(" "))
			switch string(name) {
			case "data":
				data, has, within = append(append(data, value...), '\n'), true, true
			case "event":
				event.Type, within = string(value), true
			case "id":
				within = true
				if !bytes.Contains(value, []byte{0}) {
					r.id = string(value)
				}
			}
		case has:
			if event.Type == "" {
				event.Type = "message"
			}
			event.ID, event.Data = r.id, string(data[:len(data)-1])
			return event, nil
		default: // an event without data is skipped
			event.Type, within, r.bytes = "message", false, 0
		}
	}
}

// readLine returns a line without its end, valid until the next call. A line ends with \n, \r or \r\n; at \r readLine returns
// without waiting for a \n.
func (r *eventReader) readLine() ([]byte, error) {
	r.line = r.line[:0]
	for {
		if _, err := r.from.Peek(1); err != nil {
			return r.line, err
		}
		come, _ := r.from.Peek(r.from.Buffered())
		if r.skip && come[0] == '\n' {
			r.skip = false
			_, _ = r.from.Discard(1)
			continue
		}
		r.skip = false
		end := lineEnd(come)
		n := end
		if end < 0 {
			n = len(come)
		}
		if r.bytes += n; r.bytes > maxEvent {
			return nil, errTooLong
		}
		switch {
		case end < 0:
			r.line = append(r.line, come...)
			_, _ = r.from.Discard(n)
			continue
		case len(r.line) == 0:
			come, r.skip = come[:n], come[n] == '\r'
			_, _ = r.from.Discard(n + 1)
			return come, nil // the buffer keeps it until the next read
		default:
			r.line, r.skip = append(r.line, come[:n]...), come[n] == '\r'
			_, _ = r.from.Discard(n + 1)
			return r.line, nil
		}
	}
}

// lineEnd returns the length of the first line of text, or a negative number if the line doesn't end in text.
func lineEnd(text []byte) int {
	end := bytes.IndexByte(text, '\n')
	if end < 0 {
		return bytes.IndexByte(text, '\r')
	}
	if r := bytes.IndexByte(text[:end], '\r'); r >= 0 {
		return r
	}
	return end
}
