//go:build !purego

#include "textflag.h"

// func getg() uintptr
TEXT ·getg(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET

// func stack() (lo, hi uintptr)
TEXT ·stack(SB), NOSPLIT, $0-16
	MOVQ (TLS), AX
	MOVQ 0(AX), CX
	MOVQ CX, lo+0(FP)
	MOVQ 8(AX), CX
	MOVQ CX, hi+8(FP)
	RET
