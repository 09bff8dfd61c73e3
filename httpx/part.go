package httpx

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/futoin-go/asyncsteps/fault"
)

// overlap is how many bytes at the end of a part are fetched once more, to compare them. A part that isn't longer than overlap
// begins anew.
var overlap int64 = 4096

// part is the beginning of a download, in the file Path.part. An attempt opens the part, uses it on one goroutine and calls leave.
type part struct {
	of      File
	path    string // of.Path when the attempt began, made absolute
	name    string // path with ".part" behind it
	file    *os.File
	release func() // ends the claim on name

	bytes     int64  // offset of the next byte
	known     int64  // offset behind the last byte of earlier attempts; bytes that are received again below it are compared
	synced    int64  // how many bytes are durable; -1 if the file was emptied, and not synced since
	unsafe    bool   // a sync has failed, so nothing that came since the last mark is known to be durable
	resumed   bool   // the part has bytes of an earlier attempt
	end       int64  // offset behind the last byte of the answer, -1 if unknown
	total     int64  // length of the file, -1 if unknown
	validator string // for If-Range; "" if the part can't be resumed
	mark      mark   // the last mark that was read from Path.part.json, or written to it completely; zero if there is none
	done      bool   // the part was renamed to Path
}

// mark is the content of Path.part.json: the first Bytes bytes of Path.part are those of this version of the file. The bytes behind
// them may be wrong after a crash. A mark is saved when the bytes that it counts are durable. Path.part.json is removed before
// bytes of another version overwrite them, and where folders can be synced the removal is durable.
//
// The first mark counts no bytes, and is written before the first byte of the part. Each later mark overwrites the one before, so
// that it needs no more room on a full disk. The numbers of a mark are in the first sector of the file, which no crash leaves half
// written.
type mark struct {
	Bytes     int64  `json:"bytes"`
	Total     int64  `json:"total"`
	URL       string `json:"url"` // SHA-256 of the URL, which may contain a password
	Validator string `json:"validator"`
}

// openPart opens the part of f. The part is empty if it can't be resumed.
func openPart(f File) (*part, error) {
	path, err := filepath.Abs(f.Path) // the program may change its working directory
	if err != nil {
		return nil, fileFailed(err)
	}
	p := &part{of: f, path: path, name: path + ".part", end: -1, total: -1, synced: -1}
	if p.file, p.release, err = claim(p.name); err != nil {
		return nil, err
	}
	if p.recall() {
		return p, nil
	}
	if err := p.restart(); err != nil {
		p.leave()
		return nil, err
	}
	return p, nil
}

// recall restores the state of the part from its mark. It reports false if the part can't be resumed.
func (p *part) recall() bool {
	if info, err := os.Lstat(p.markName()); err != nil || !info.Mode().IsRegular() {
		return false
	}
	var m mark
	text, err := os.ReadFile(p.markName())
	if err != nil || json.Unmarshal(text, &m) != nil || m.URL != sumOf(p.of.URL) || !printable(m.Validator) || m.Bytes <= overlap {
		return false
	}
	if info, err := p.file.Stat(); err != nil || info.Size() < m.Bytes || p.file.Truncate(m.Bytes) != nil {
		return false
	}
	p.mark, p.validator, p.total = m, m.Validator, m.Total
	// The last bytes are requested again, and compared. Without them, the range of a complete part would begin at the end of the
	// file, and be answered with 416.
	p.bytes, p.known = m.Bytes-overlap, m.Bytes
	p.synced, p.resumed = p.bytes, true
	return true
}

func (p *part) restart() error {
	p.bytes, p.known, p.synced, p.mark, p.resumed = 0, 0, -1, mark{}, false
	err := os.Remove(p.markName())
	if err == nil {
		err = p.syncFolder()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fileFailed(err)
	}
	return fileFailed(p.file.Truncate(0))
}

// begin prepares the part for an answer with the whole file.
func (p *part) begin(answer *http.Response) error {
	if p.bytes != 0 || p.mark != (mark{}) {
		if err := p.restart(); err != nil {
			return err
		}
	}
	p.validator, p.total, p.end = validatorOf(answer), answer.ContentLength, answer.ContentLength
	if p.validator == "" {
		return nil
	}
	return p.note(0)
}

// continues reports whether an answer with status 206 continues the part. It compares the validators too, as some servers
// ignore If-Range.
func (p *part) continues(answer *http.Response) bool {
	h := answer.Header
	first, last, total, ok := contentRange(h.Get("Content-Range"))
	if !ok || first != p.bytes || total < 0 && p.total < 0 || total >= 0 && p.total >= 0 && total != p.total || answer.Uncompressed || compressed(answer) ||
		answer.ContentLength >= 0 && answer.ContentLength != last-first+1 {
		return false
	}
	if strings.HasPrefix(p.validator, `"`) {
		ok = h.Get("ETag") == p.validator
	} else {
		modified := h.Get("Last-Modified") // optional in an answer to If-Range
		ok = modified == "" || modified == p.validator
	}
	if ok {
		p.end, p.total = last+1, max(p.total, total)
	}
	return ok
}

// write writes b at offset p.bytes. Bytes that an earlier attempt has written there must be the same.
func (p *part) write(b []byte) error {
	if p.end >= 0 && int64(len(b)) > p.end-p.bytes {
		_ = p.restart() // the bytes of such an answer may be of any range
		return fault.New(fault.CommError, p.of.Path+": the answer is longer than its header says")
	}
	if again := min(p.known-p.bytes, int64(len(b))); again > 0 {
		before := make([]byte, again)
		if _, err := p.file.ReadAt(before, p.bytes); err != nil {
			return fileFailed(err)
		}
		if !bytes.Equal(before, b[:again]) {
			_ = p.restart()
			return fault.New(fault.CommError, p.of.Path+": the file has changed, although the server tells otherwise")
		}
	}
	n, err := p.file.WriteAt(b, p.bytes)
	p.bytes += int64(n)
	return fileFailed(err)
}

// more reports whether the answer has ended where its header says, before the end of the file.
func (p *part) more() bool { return p.end >= 0 && p.bytes == p.end && p.total > p.bytes }

// complete reports whether the part is the whole file, provided that the answer has ended.
func (p *part) complete() bool {
	return (p.end < 0 || p.bytes == p.end) && (p.total < 0 || p.bytes == p.total)
}

// save makes the bytes durable, and then writes a mark that counts them. It does nothing if the part can't be resumed, if no byte
// has come since the last mark, or if a sync has failed.
func (p *part) save() error {
	if p.validator == "" || p.bytes <= p.mark.Bytes || p.unsafe {
		return nil
	}
	if err := p.sync(); err != nil {
		return err
	}
	first := p.mark.Bytes == 0
	if err := p.note(p.bytes); err != nil || !first { // the folder is synced once, after the first mark that counts bytes
		return err
	}
	return fileFailed(p.syncFolder())
}

// note writes the mark of the first n bytes.
func (p *part) note(n int64) error {
	m := mark{n, p.total, sumOf(p.of.URL), p.validator}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(p.markName(), os.O_WRONLY|os.O_CREATE|noFollow, 0o600)
	if err != nil {
		return fileFailed(err)
	}
	_, err = file.Write(text)
	if n > 0 { // a mark of no bytes may be lost
		err = errors.Join(err, file.Truncate(int64(len(text))), file.Sync())
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return fileFailed(err)
	}
	p.mark = m
	return nil
}

// finish checks the complete part and renames it to Path.
func (p *part) finish(ctx context.Context, check func(File, io.Reader) error) error {
	for _, verify := range []func(File, io.Reader) error{checkSum, check} {
		if verify == nil {
			continue
		}
		if err := p.check(ctx, verify); err != nil {
			return err
		}
	}
	if err := p.sync(); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case !p.ours():
		return fault.New(FileFailed, p.name+" was removed or replaced meanwhile")
	}
	if runtime.GOOS == "windows" { // Windows renames no open file
		if err := p.file.Close(); err != nil {
			return fileFailed(err)
		}
	}
	if err := os.Rename(p.name, p.path); err != nil {
		return fileFailed(err)
	}
	p.done = true
	if err := os.Remove(p.markName()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fileFailed(err)
	}
	return fileFailed(p.syncFolder())
}

func (p *part) check(ctx context.Context, verify func(File, io.Reader) error) error {
	r := &checked{ctx: ctx, Reader: io.NewSectionReader(p.file, 0, p.bytes)}
	err := verify(p.of, r)
	if err == nil || r.err != nil {
		return r.err
	}
	if !p.resumed {
		err = lasting{err} // otherwise another attempt may get the right bytes
	}
	_ = p.restart() // so that leave removes it
	return fault.Wrap(CheckFailed, p.of.Path+": what has come isn't what was expected", err)
}

func checkSum(f File, r io.Reader) error {
	if f.SHA256 == "" {
		return nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, r); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); !strings.EqualFold(got, f.SHA256) {
		return fmt.Errorf("its SHA-256 is %s, not %s", got, f.SHA256)
	}
	return nil
}

// checked is the reader that a check gets. err is the error of a read that has failed, nil if none has.
type checked struct {
	io.Reader
	ctx context.Context
	err error
}

func (c *checked) Read(b []byte) (n int, err error) {
	if c.ctx.Err() != nil {
		c.err = context.Cause(c.ctx)
		return 0, c.err
	}
	if n, err = c.Reader.Read(b); err != nil && !errors.Is(err, io.EOF) {
		c.err = fileFailed(err)
	}
	return n, err
}

// leave closes the part. Unless the part has become Path, or another file has its name now, leave first saves it, and then
// removes it if its mark has no bytes.
func (p *part) leave() {
	if !p.done && p.ours() {
		_ = p.save() // the attempt has failed already; if this fails too, the earlier mark holds
		if p.mark.Bytes == 0 {
			_ = os.Remove(p.markName())
			if runtime.GOOS == "windows" { // Windows removes no open file
				_ = p.file.Close()
			}
			_ = os.Remove(p.name) // before the close, which unlocks the file for other processes
		}
	}
	_ = p.file.Close()
	p.release()
}

// ours reports whether the file is still the one called name, which somebody may have removed or replaced.
func (p *part) ours() bool { return names(p.name, p.file) }

func (p *part) sync() error {
	if p.synced == p.bytes {
		return nil
	}
	if err := p.file.Sync(); err != nil {
		p.unsafe = true // the next sync may succeed although these bytes are lost
		return fileFailed(err)
	}
	p.synced = p.bytes
	return nil
}

func (p *part) syncFolder() error {
	if runtime.GOOS == "windows" { // Windows syncs no folders
		return nil
	}
	folder, err := os.Open(filepath.Dir(p.name))
	if errors.Is(err, fs.ErrPermission) { // the folder can be written to, but not read
		return nil
	}
	if err != nil {
		return err
	}
	err = folder.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) { // some file systems sync no folders
		err = nil
	}
	return errors.Join(err, folder.Close())
}

func (p *part) markName() string { return p.name + ".json" }

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// fileFailed gives err, an error of package os, the code FileFailed. It returns nil for nil.
func fileFailed(err error) error {
	if err == nil {
		return nil
	}
	if !errors.Is(err, syscall.EMFILE) { // other files may be closed soon
		err = lasting{err}
	}
	return fault.Wrap(FileFailed, "", err)
}

func compressed(answer *http.Response) bool {
	how := answer.Header.Get("Content-Encoding")
	return how != "" && !strings.EqualFold(how, "identity")
}

// contentRange parses the header Content-Range of an answer with status 206: the offsets of its first and last byte,
// and the length of the file, -1 if unknown. It reports false for any other text.
func contentRange(text string) (first, last, total int64, ok bool) {
	text, ok = strings.CutPrefix(text, "bytes ")
	span, length, ok2 := strings.Cut(text, "/")
	from, to, ok3 := strings.Cut(span, "-")
	if !ok || !ok2 || !ok3 {
		return 0, 0, 0, false
	}
	first, err := digits(from)
	last, err2 := digits(to)
	total = -1
	var err3 error
	if length != "*" {
		total, err3 = digits(length)
	}
	if err != nil || err2 != nil || err3 != nil || last < first || total >= 0 && last >= total {
		return 0, 0, 0, false
	}
	return first, last, total, true
}

// digits parses a number without a sign that is below 1<<62.
func digits(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 10, 62)
	return int64(n), err
}

// printable reports whether text isn't empty and has only spaces and visible characters of ASCII.
func printable(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}
