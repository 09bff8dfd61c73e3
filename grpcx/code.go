package grpcx

import (
	"errors"
	"fmt"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/primary"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// faults maps codes of gRPC to those that [FromStatus] gives. Codes of gRPC that have none in package fault keep their names.
var faults = map[codes.Code]fault.Code{
	codes.Canceled:           fault.Cancelled,
	codes.Unknown:            fault.InternalError,
	codes.InvalidArgument:    fault.InvalidRequest,
	codes.DeadlineExceeded:   fault.Timeout,
	codes.NotFound:           "NotFound",
	codes.AlreadyExists:      "AlreadyExists",
	codes.PermissionDenied:   fault.Unauthorized,
	codes.ResourceExhausted:  fault.DefenseRejected,
	codes.FailedPrecondition: "FailedPrecondition",
	codes.Aborted:            "Aborted",
	codes.OutOfRange:         "OutOfRange",
	codes.Unimplemented:      fault.NotImplemented,
	codes.Internal:           fault.InternalError,
	codes.Unavailable:        fault.CommError,
	codes.DataLoss:           "DataLoss",
	codes.Unauthenticated:    fault.SecurityError,
}

// grpcCodes maps codes of package fault to those that [Code] returns: the reverse of faults, and further codes.
var grpcCodes = func() map[fault.Code]codes.Code {
	all := map[fault.Code]codes.Code{
		fault.PleaseReauth:        codes.Unauthenticated,
		fault.UnknownInterface:    codes.Unimplemented,
		fault.NotSupportedVersion: codes.Unimplemented,
		fault.ConnectError:        codes.Unavailable,
		syncx.CircuitOpen:         codes.Unavailable,
		syncx.LeaseLost:           codes.Unavailable,
	}
	for code, f := range faults {
		if code != codes.Unknown { // fault.InternalError becomes codes.Internal
			all[f] = code
		}
	}
	return all
}()

// Code returns the gRPC code of an error: that of [WithCode] or of a status that the error wraps, or else the one for its code
// of package fault. Secondary errors of the run don't count. Code returns codes.Unavailable for tool.ErrShutdown, codes.Unknown
// for a fault code without a gRPC code, and codes.OK for nil. Any goroutine may call it.
func Code(err error) codes.Code {
	if err == nil {
		return codes.OK
	}
	if s := statusOf(err); s != nil {
		return s.Code()
	}
	if closing, ok := primary.As[tool.Error](err); ok && closing == tool.ErrShutdown {
		return codes.Unavailable
	}
	if code, ok := grpcCodes[fault.CodeOf(err)]; ok {
		return code
	}
	return codes.Unknown
}

// carrier is implemented by the errors of package status and by coded.
type carrier interface {
	error
	GRPCStatus() *status.Status
}

// statusOf returns the status of the first error in the chain of err that has one; secondary errors don't count. It returns nil if
// there is none, or if that status is OK.
func statusOf(err error) *status.Status {
	if c, ok := primary.As[carrier](err); ok {
		if s := c.GRPCStatus(); s.Code() != codes.OK {
			return s
		}
	}
	return nil
}

// WithCode returns err with a gRPC code, which [Code] returns and the interceptors of a [Server] send. The message of the
// status is fault.InfoOf(err), or the name of the code if err is nil. A step uses it where no code of package fault fits:
//
//	return item, grpcx.WithCode(codes.FailedPrecondition, fault.New("SoldOut", "nothing left in stock"))
//
// errors.Is and errors.As reach err. codes.OK becomes codes.Internal.
func WithCode(code codes.Code, err error) error {
	if code == codes.OK {
		err = errors.Join(errors.New("grpcx: OK is not the code of an error"), err)
		code = codes.Internal
	}
	if err == nil {
		return status.Error(code, code.String())
	}
	return &coded{err, described(code, fault.InfoOf(err), err)}
}

// coded is an error with a status. Package status finds the status by the method GRPCStatus.
type coded struct {
	err    error
	status *status.Status
}

func (e *coded) Error() string { return e.err.Error() }

func (e *coded) Unwrap() error { return e.err }

func (e *coded) GRPCStatus() *status.Status { return e.status }

// domain marks an ErrorInfo whose reason is a code of package fault.
const domain = "asyncsteps"

// described makes a status. Its details have the fault code of err, unless that is InternalError or the one that FromStatus
// derives from the gRPC code.
func described(code codes.Code, message string, err error) *status.Status {
	s := status.New(code, message)
	reason := fault.CodeOf(err)
	if reason == faults[code] || reason == fault.InternalError {
		return s
	}
	if more, failed := s.WithDetails(&errdetails.ErrorInfo{Reason: string(reason), Domain: domain}); failed == nil {
		return more
	}
	return s
}

// told has the codes that blame the client: with these the client may see the text of the error.
var told = map[codes.Code]bool{
	codes.InvalidArgument: true, codes.NotFound: true, codes.AlreadyExists: true, codes.PermissionDenied: true,
	codes.FailedPrecondition: true, codes.OutOfRange: true, codes.Unauthenticated: true, codes.Unimplemented: true,
}

// answered returns err with a status for the client: the status of err, or one made of the code of err.
func answered(err error) error {
	if err == nil {
		return nil
	}
	if s := statusOf(err); s != nil {
		return &coded{err, s}
	}
	code := Code(err)
	message := code.String()
	if told[code] {
		message = fault.InfoOf(err)
	}
	return &coded{err, described(code, message, err)}
}

// FromStatus returns err, which a gRPC call has returned, with a code of package fault: the one that a [Server] of ours
// has sent along, or else one for the gRPC code, such as fault.Timeout for DeadlineExceeded. NotFound, AlreadyExists,
// FailedPrecondition, Aborted, OutOfRange and DataLoss keep their names; Unknown is fault.InternalError. The message of
// the status is the Info. If the status has an errdetails.RetryInfo, a retry.Policy waits at least as long as that asks
// for before it tries again, unless its PauseAfter says otherwise. errors.As and package status reach err. An err without a
// status, or with a *fault.Error already, is returned as it is. Any goroutine may call it.
func FromStatus(err error) error {
	if _, ok := primary.As[*fault.Error](err); ok {
		return err
	}
	s := statusOf(err)
	if s == nil {
		return err
	}
	code, known := faults[s.Code()]
	if !known {
		code = fault.Code(fmt.Sprintf("Code%d", s.Code()))
	}
	for _, detail := range s.Details() {
		switch info := detail.(type) {
		case *errdetails.ErrorInfo:
			if info.GetDomain() == domain && info.GetReason() != "" {
				code = fault.Code(info.GetReason())
			}
		case *errdetails.RetryInfo:
			err = &asking{err, max(0, info.GetRetryDelay().AsDuration())}
		}
	}
	return fault.Wrap(code, s.Message(), err)
}
