package httpx

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// Codes that [Download] fails with, besides those of package fault. A retry.Policy without Codes and If doesn't try again
// after either of them, unless another attempt may help.
const (
	// FileFailed: the file can't be written or read: no such folder, no permission, a full disk. Its Cause, if there is one, is or
	// wraps the error of package os. Another attempt may help if too many files are open, or if Path.part was removed meanwhile.
	FileFailed fault.Code = "FileFailed"

	// CheckFailed: the bytes aren't those that File.SHA256 or DownloadOptions.Check expects. They were removed. Another attempt may
	// help if some of the bytes came from an earlier attempt.
	CheckFailed fault.Code = "CheckFailed"
)

// File names a file that [Download] downloads, and its place.
type File struct {
	URL string

	// Path is the name of the file, in a folder that exists. A file of that name is replaced. Download also uses the names
	// Path.part and Path.part.json; if they are too long for the file system, Download fails with FileFailed before it
	// sends a request.
	Path string

	// SHA256 is the sum that the file must have, in hexadecimal digits. If it is empty the sum isn't checked.
	SHA256 string
}

// Downloaded is the result of [Download].
type Downloaded struct {
	File File
	Size int64  // the size of the file in bytes
	Kept int64  // how many of these bytes come from earlier attempts or runs; 0 if the download wasn't resumed
	ETag string // the ETag of the last answer; "" if it had none
}

// Progress says how far a download is. Bytes is how many bytes of the file are there. Total is the length of the file, or -1 while
// that isn't known. When all bytes are there, Total equals Bytes.
type Progress struct {
	File         File
	Bytes, Total int64
}

// DownloadOptions are the options of [Download]. The functions are called by several downloads at once, each on the goroutine
// of its download. They aren't called after the step has ended, unless its grace had passed before.
type DownloadOptions struct {
	// Progress, if not nil, is called when the header of an answer is there, then at most five times a second, and when all bytes
	// are there. It is called once more when an attempt fails or is cancelled while it receives bytes, unless the last call had the
	// same Bytes; ctx may have ended then. ctx is derived from the context of the step. The download waits until Progress returns.
	// An error of Progress fails the attempt, unless the attempt has failed already. The method Send of a flow.Output[Progress] can
	// be used; it drops the last value of a cancelled run.
	Progress func(ctx context.Context, p Progress) error

	// Stall is how long an attempt waits for the next byte from the server: for the header of the answer, which includes all
	// attempts and pauses of a [Transport], and for each piece of the body. An attempt that has waited so long fails: with a
	// [*StatusError] if the status is one that [Download] fails with, otherwise with fault.Timeout, which a retry.Policy tries
	// again. 0 stands for a minute, below zero for no limit.
	Stall time.Duration

	// Check, if not nil, is called with the bytes of the file before it appears. An error fails the download with CheckFailed, and
	// the bytes are removed. Reading from r fails when the context of the step has ended.
	Check func(f File, r io.Reader) error

	// Header is added to each request, and must not be changed any more. Download itself sets Accept-Encoding, Range
	// and If-Range. After a redirect http.Client sends fields such as Authorization and Cookie only to the same domain and
	// those below it, and fields of your own to any host.
	Header http.Header
}

const (
	usualStall = time.Minute
	tellEvery  = 200 * time.Millisecond
)

// saveEvery is how often a download makes its bytes durable.
var saveEvery = 5 * time.Second

// Download makes a step that downloads a file through client; nil stands for http.DefaultClient. The file appears at its Path
// when it is complete, checked and durable. A reader of Path sees the old file or the new one, never a part of it.
//
// Until then the bytes are in Path.part. If the step fails, is cancelled, or its process is killed, the next attempt or run
// continues there, so [retry.Of] around the step resumes a download that broke off. This needs a server that answers ranges, and an
// answer with a strong ETag, or with a Last-Modified that is at least a second before its Date. Otherwise, for another URL, and if
// the part has no more than 4096 bytes, the download starts over. To continue, it fetches the last 4096 bytes of the part again; if
// they differ the attempt fails with fault.CommError, and the next one starts over. While bytes come, they are made durable every
// five seconds, and once more when the attempt ends, even if it fails because the disk is full. If the process or the machine is
// killed, the bytes that came since the last time are lost: no file tells which of them have reached the disk. Without such an ETag
// or date the part is removed at the end of the attempt.
//
// If a server neither tells the length of a file nor sends it in chunks, a connection that breaks looks like the end of the file:
// set SHA256 then. A link at Path is replaced by the file; with a link at Path.part Download fails with FileFailed. The mode of
// an old file isn't kept.
//
// Download asks for the file without compression. If the server compresses it nonetheless, the file has the bytes that were
// sent, and the download isn't resumed.
//
// Errors: fault.InvalidRequest for a URL without a scheme or a host, an empty Path, a Path that is no ordinary file, or a malformed
// SHA256; fault.DefenseRejected if another download writes to the same Path: one of this process, or on Linux, macOS and BSD of any
// process, except where the file system has no locks; FileFailed and CheckFailed; a [*StatusError] for a status other than 200 or,
// to a request for a range, 206; fault.Timeout after a Stall or the Timeout of client; fault.CommError if the answer breaks off or
// contradicts itself; and those of [Call].
//
// Cancellation: ends the request, and makes the bytes that have come durable. The step waits for that, up to its grace.
//
// Concurrency: the step has a goroutine, as that of step.Await does.
//
//spec:ftn12 §1.13
func Download(client *http.Client, o DownloadOptions) step.Step[File, Downloaded] {
	if client == nil {
		client = http.DefaultClient
	}
	switch {
	case o.Stall == 0:
		o.Stall = usualStall
	case o.Stall < 0:
		o.Stall = math.MaxInt64
	}
	return flow.Named("download", step.Await((&downloader{client, o}).attempt))
}

type downloader struct {
	client  *http.Client
	options DownloadOptions
}

func (d *downloader) attempt(ctx context.Context, f File) (out Downloaded, err error) {
	if bad := f.bad(); bad != "" {
		return out, fault.New(fault.InvalidRequest, "httpx.Download: "+bad)
	}
	p, err := openPart(f)
	if err != nil {
		return out, err
	}
	defer p.leave()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := &transfer{downloader: d, ctx: ctx, part: p, kept: math.MaxInt64}
	t.stalled = fault.New(fault.Timeout, fmt.Sprintf("%s: no byte for %v", f.Path, d.options.Stall))
	t.watch = time.AfterFunc(d.options.Stall, func() { cancel(t.stalled) })
	defer t.watch.Stop()
	for again := true; again; again = p.more() { // a server may send fewer bytes than were asked for
		if err := t.fetch(); err != nil {
			return out, err
		}
	}
	if err := p.finish(ctx, d.options.Check); err != nil {
		return out, err
	}
	return Downloaded{File: f, Size: p.bytes, Kept: t.kept, ETag: t.etag}, nil
}

func (f *File) bad() string {
	u, err := url.Parse(f.URL)
	sum, sumErr := hex.DecodeString(f.SHA256)
	switch {
	case err != nil || u.Scheme == "" || u.Host == "": // the error has the URL, which may have a password
		return "the URL for " + f.Path + " isn't one with a scheme and a host"
	case f.Path == "":
		return "the Path for a file of " + u.Host + " is empty"
	case sumErr != nil || len(sum) != 0 && len(sum) != sha256.Size:
		return "the SHA256 for " + f.Path + " isn't 64 hexadecimal digits"
	}
	if info, err := os.Stat(f.Path); os.IsPathSeparator(f.Path[len(f.Path)-1]) || err == nil && !info.Mode().IsRegular() {
		return f.Path + " is no ordinary file"
	}
	return ""
}

// transfer is one attempt.
type transfer struct {
	*downloader
	ctx     context.Context
	part    *part
	watch   *time.Timer  // runs during requests and reads; cancels ctx
	stalled *fault.Error // the cause of ctx when watch has cancelled it

	kept int64  // how many bytes of the file come from earlier attempts
	told int64  // the Bytes of the last call of Progress
	etag string // the ETag of the last answer
}

func (t *transfer) fetch() error {
	answer, err := t.ask()
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	t.kept, t.etag = min(t.kept, t.part.bytes), answer.Header.Get("ETag")
	if err = t.receive(answer.Body); err != nil && t.told != t.part.bytes {
		_ = t.tell(t.part.total) // the attempt fails already
	}
	return err
}

// ask returns an answer whose body continues the part. If the answer has the whole file, ask has emptied the part.
func (t *transfer) ask() (*http.Response, error) {
	p := t.part
	answer, err := t.send()
	if err == nil && p.bytes > 0 && (answer.StatusCode == http.StatusRequestedRangeNotSatisfiable ||
		answer.StatusCode == http.StatusPartialContent && !p.continues(answer)) {
		_ = answer.Body.Close() // the answer doesn't continue the part
		if err := p.restart(); err != nil {
			return nil, err
		}
		answer, err = t.send()
	}
	if err != nil {
		return nil, err
	}
	switch {
	case answer.StatusCode == http.StatusOK:
		err = p.begin(answer)
	case answer.StatusCode != http.StatusPartialContent || p.bytes == 0: // the latter is a range that wasn't asked for
		err = t.refused(answer)
	}
	if err != nil {
		_ = answer.Body.Close()
		return nil, err
	}
	return answer, nil
}

// refused returns the error of an answer with an unexpected status, whose body it reads.
func (t *transfer) refused(answer *http.Response) error {
	t.watch.Reset(t.options.Stall)
	defer t.watch.Stop()
	// Some bodies don't end with ctx, such as that of a connection that has switched protocols.
	defer context.AfterFunc(t.ctx, func() { _ = answer.Body.Close() })()
	return badStatus(answer)
}

func (t *transfer) send() (*http.Response, error) {
	r, err := http.NewRequestWithContext(t.ctx, http.MethodGet, t.part.of.URL, nil)
	if err != nil {
		return nil, fault.Wrap(fault.InvalidRequest, "httpx.Download: not a request", err)
	}
	if t.options.Header != nil {
		r.Header = t.options.Header.Clone()
	}
	r.Header.Set("Accept-Encoding", "identity") // ranges count the bytes of the file
	r.Header.Del("Range")
	r.Header.Del("If-Range")
	if t.part.bytes > 0 {
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-", t.part.bytes))
		r.Header.Set("If-Range", t.part.validator)
	}
	t.watch.Reset(t.options.Stall)
	answer, err := do(t.client, r)
	t.watch.Stop()
	if err != nil {
		return nil, t.failed(err)
	}
	return answer, nil
}

func (t *transfer) receive(body io.Reader) error {
	p := t.part
	told, saved := time.Time{}, time.Now()
	for buf := make([]byte, 128<<10); ; {
		if now := time.Now(); now.Sub(told) >= tellEvery {
			if err := t.tell(p.total); err != nil {
				return err
			}
			told = now
		}
		t.watch.Reset(t.options.Stall)
		n, broken := body.Read(buf)
		t.watch.Stop()
		if err := p.write(buf[:n]); err != nil {
			return err
		}
		switch {
		case broken == io.EOF && p.complete(): // an error that wraps io.EOF is a break
			return t.tell(p.bytes)
		case broken == io.EOF && p.more():
			return nil
		case broken != nil:
			text := fmt.Sprintf("%s: the answer broke off after %d bytes", p.of.Path, p.bytes)
			if p.total >= 0 {
				text += fmt.Sprintf(" of %d", p.total)
			}
			return t.failed(broke(text, broken))
		}
		if now := time.Now(); now.Sub(saved) >= saveEvery {
			if err := p.save(); err != nil {
				return err
			}
			saved = now
		}
	}
}

func (t *transfer) tell(total int64) error {
	t.told = t.part.bytes
	if t.options.Progress == nil {
		return nil
	}
	return t.options.Progress(t.ctx, Progress{t.part.of, t.told, total})
}

func (t *transfer) failed(err error) error {
	if t.ctx.Err() != nil {
		return context.Cause(t.ctx)
	}
	return err
}

// validatorOf returns the value of If-Range for further requests of the same version of the file: a strong ETag, which begins
// with a quote, or a date. It is "" if the answer has neither or is compressed, see RFC 9110, sections 8.8.2.2 and 13.1.5.
func validatorOf(answer *http.Response) string {
	h := answer.Header
	if answer.Uncompressed || compressed(answer) {
		return "" // another server may compress the file to other bytes
	}
	if tag := h.Get("ETag"); strings.HasPrefix(tag, `"`) && printable(tag) {
		return tag
	}
	modified, err := http.ParseTime(h.Get("Last-Modified"))
	date, dateErr := http.ParseTime(h.Get("Date"))
	if err != nil || dateErr != nil || date.Sub(modified) < time.Second {
		return ""
	}
	return h.Get("Last-Modified")
}
