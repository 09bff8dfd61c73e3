package draw

// Style is the style sheet that each picture of [SVG] contains. If the Content-Security-Policy of a page restricts
// styles, it must allow this style sheet, for example by its hash. The selectors match only pictures of SVG.
const Style = `
.drawn-plan text { font: 11px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #55606c }
.drawn-plan .name { font-size: 13px; font-weight: 600; fill: #1c2024 }
.drawn-plan .note { font-weight: 600; fill: #1c2024 }
.drawn-plan .mid { text-anchor: middle }
.drawn-plan .paper { fill: #fff }
.drawn-plan .box, .drawn-plan .card { fill: #fff; stroke: #8b96a2 }
.drawn-plan .head { stroke: none; fill: none }
.drawn-plan .sign { fill: none; stroke: #55606c; stroke-width: 1.5; stroke-linejoin: round; stroke-linecap: round }
.drawn-plan .wire { fill: none; stroke: #6b7682; stroke-width: 1.3 }
.drawn-plan .dashed { stroke-dasharray: 6 3 }
.drawn-plan .dotted { stroke-dasharray: 1.5 3; stroke-linecap: round }
.drawn-plan .arrow, .drawn-plan .join { fill: #6b7682 }
.drawn-plan .end .box { fill: #eef1f4; stroke: #c5ccd3 }
.drawn-plan .end .name { font-weight: 400 }
.drawn-plan .answer .box { stroke-dasharray: 5 3 }
.drawn-plan .calls .box { stroke: #1a6fb5 } .drawn-plan .calls .sign { stroke: #1a6fb5 } .drawn-plan .leaf.calls .box { fill: #f0f7fd }
.drawn-plan .groups .box { stroke: #a3adb8; fill: #fafbfc } .drawn-plan .groups .head { fill: #eef1f4 }
.drawn-plan .limits .box { stroke: #b07d0f; fill: #fffdf5 } .drawn-plan .limits .sign { stroke: #946300 } .drawn-plan .limits .head { fill: #fbf1d3 }
.drawn-plan .again .box { stroke: #7e4fc0; fill: #fcfaff } .drawn-plan .again .sign { stroke: #7e4fc0 } .drawn-plan .again .head { fill: #f0e8fb }
.drawn-plan .race .box { stroke: #147a6c; fill: #f7fdfb } .drawn-plan .race .sign { stroke: #147a6c } .drawn-plan .race .head { fill: #d9f3ec }
.drawn-plan .splits .box { stroke: #4a5bc4; fill: #fafbff } .drawn-plan .splits .sign { stroke: #4a5bc4 } .drawn-plan .splits .head { fill: #e6e9fb }
.drawn-plan .guards .box { stroke: #a2522a; fill: #fffaf7 } .drawn-plan .guards .sign { stroke: #a2522a } .drawn-plan .guards .head { fill: #fbe6da }
.drawn-plan .undoes .box { stroke: #3c7d3f; fill: #fafefa } .drawn-plan .undoes .sign { stroke: #3c7d3f } .drawn-plan .undoes .head { fill: #e0f2e0 }
.drawn-plan .rescue .box { stroke: #b5406a; fill: #fffafc } .drawn-plan .rescue .sign { stroke: #b5406a } .drawn-plan .rescue .head { fill: #fbe4ec }
@media screen and (prefers-color-scheme: dark) {
.drawn-plan text { fill: #a5b0bb }
.drawn-plan .name, .drawn-plan .note { fill: #e6e9ec }
.drawn-plan .paper { fill: #15191d }
.drawn-plan .box, .drawn-plan .card { fill: #1e242a; stroke: #77828d }
.drawn-plan .sign, .drawn-plan .wire { stroke: #9aa5b0 }
.drawn-plan .arrow, .drawn-plan .join { fill: #9aa5b0 }
.drawn-plan .end .box { fill: #262d34; stroke: #4a545e }
.drawn-plan .calls .box { stroke: #5a9bd8 } .drawn-plan .calls .sign { stroke: #7cb4ea } .drawn-plan .leaf.calls .box { fill: #16222e }
.drawn-plan .groups .box { stroke: #626d78; fill: #191e23 } .drawn-plan .groups .head { fill: #272e35 }
.drawn-plan .limits .box { stroke: #b98e2e; fill: #1b1a14 } .drawn-plan .limits .sign { stroke: #dfb450 } .drawn-plan .limits .head { fill: #37300f }
.drawn-plan .again .box { stroke: #9a78d0; fill: #1a181f } .drawn-plan .again .sign { stroke: #bb9dea } .drawn-plan .again .head { fill: #2f2741 }
.drawn-plan .race .box { stroke: #3fa594; fill: #141c1b } .drawn-plan .race .sign { stroke: #62c8b6 } .drawn-plan .race .head { fill: #12352f }
.drawn-plan .splits .box { stroke: #7483dc; fill: #171920 } .drawn-plan .splits .sign { stroke: #9aa6f0 } .drawn-plan .splits .head { fill: #262b47 }
.drawn-plan .guards .box { stroke: #c27a54; fill: #1d1815 } .drawn-plan .guards .sign { stroke: #e5a07c } .drawn-plan .guards .head { fill: #3c2619 }
.drawn-plan .undoes .box { stroke: #64a667; fill: #151b16 } .drawn-plan .undoes .sign { stroke: #8ccb8f } .drawn-plan .undoes .head { fill: #1f3521 }
.drawn-plan .rescue .box { stroke: #cc6a8e; fill: #1e171a } .drawn-plan .rescue .sign { stroke: #ea94b2 } .drawn-plan .rescue .head { fill: #3d202b }
}
.drawn-plan .leaf.running > .box, .drawn-plan .running > .head { fill: #bfe3c9 }
.drawn-plan .leaf.waiting > .box, .drawn-plan .waiting > .head { fill: #ffdf99 }
.drawn-plan .leaf.failed > .box, .drawn-plan .failed > .head { fill: #ffc9c2 }
.drawn-plan .failed > .box { stroke: #b3261e; stroke-width: 2.5 }
.drawn-plan .running text, .drawn-plan .waiting text, .drawn-plan .failed text { fill: #1c2024 }
.drawn-plan .running .sign, .drawn-plan .waiting .sign, .drawn-plan .failed .sign { stroke: #1c2024 }
.drawn-plan a { cursor: pointer }
.drawn-plan a:hover > g > .box, .drawn-plan a:focus-visible > g > .box { stroke-width: 3 }
`
