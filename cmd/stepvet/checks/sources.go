package checks

import "strings"

// class is the reason why code can't be repeated, and the remedy, in the words of messages.
type class string

const (
	clock    class = "it gives something else when the run is repeated; use as.Now of the step.Scope"
	chance   class = "it gives something else when the run is repeated; use a step.Await"
	effect   class = "it is done again when the run is repeated; use a step.Await"
	parallel class = "goroutines aren't repeated in the same order; use flow.Par, or a step.Await"
	mapOrder class = "it is another one when the run is repeated; sort it"
)

var clocks = set("time.Now", "time.Since", "time.Until", "time.After", "time.AfterFunc", "time.Tick", "time.NewTimer",
	"time.NewTicker", "time.Sleep")

// effects names functions of the standard library that act on the world outside of the run, or read from it. classOf knows more,
// and so does blocks.
var effects = set("fmt.Print", "fmt.Printf", "fmt.Println",
	"path/filepath.Walk", "path/filepath.WalkDir", "path/filepath.Glob", "path/filepath.Abs", "path/filepath.EvalSymlinks",
	"runtime.NumGoroutine", "runtime.NumCPU", "runtime.GOMAXPROCS", "runtime.ReadMemStats", "runtime.Stack")

// outside names variables of the standard library that give access to the world outside of the run.
var outside = map[string]class{
	"os.Stdin": effect, "os.Stdout": effect, "os.Stderr": effect, "os.Args": effect, "crypto/rand.Reader": chance,
}

// harmless names functions of package os that only look at their arguments.
var harmless = set("os.IsExist", "os.IsNotExist", "os.IsPermission", "os.IsTimeout", "os.IsPathSeparator",
	"os.NewSyscallError", "os.Expand", "os.SameFile")

// classOf returns the class of a function of the standard library, or "" if it isn't known as one that can't be repeated.
func classOf(name string) class {
	switch {
	case clocks[name]:
		return clock
	case effects[name]:
		return effect
	case blocks[name] && !strings.HasPrefix(name, "(*sync.") && !strings.Contains(name, "flow.") && !strings.Contains(name, "golang.org/x/sync"):
		return effect
	case name == "(*sync.WaitGroup).Go":
		return parallel
	case name == "(*sync.Map).Range":
		return chance
	}
	name = strings.TrimLeft(name, "(*")
	at := strings.LastIndexByte(name, '/') + 1
	dot := strings.IndexByte(name[at:], '.')
	if dot < 0 {
		return ""
	}
	pkg, function := name[:at+dot], name[at+dot+1:]
	switch pkg {
	case "math/rand", "math/rand/v2":
		// Methods aren't reported: their source was made with a seed.
		if !strings.HasPrefix(function, "New") && !strings.Contains(function, ".") {
			return chance
		}
	case "crypto/rand":
		return chance
	case "hash/maphash":
		if function == "MakeSeed" {
			return chance
		}
	case "os":
		if !harmless[name] && (!strings.Contains(function, ".") || strings.HasPrefix(function, "File)") || strings.HasPrefix(function, "Root)") || strings.HasPrefix(function, "Process)")) {
			return effect
		}
	case "os/exec", "os/user", "os/signal", "io/ioutil", "net/smtp", "syscall", "plugin":
		return effect
	case "log":
		if !strings.HasPrefix(function, "New") && !strings.HasSuffix(function, "lags") && !strings.HasSuffix(function, "refix") {
			return effect
		}
	case "log/slog":
		if logs[strings.TrimPrefix(function, "Logger).")] {
			return effect
		}
	}
	return ""
}

// logs names functions of package slog, and methods of its Logger, that write a line.
var logs = set("Debug", "DebugContext", "Info", "InfoContext", "Warn", "WarnContext", "Error", "ErrorContext", "Log", "LogAttrs")
