// The style sheet of a report. Light and dark follow the reader's system; paper is light. Nothing is loaded: fonts
// are the system's own.

import { stateColours, stateRules } from './state-styles.ts';

const LIGHT = `--bg:#f6f8fa;--card:#fff;--ink:#1f2328;--soft:#57606a;--line:#d0d7de;--grid:#d8dee4;--accent:#0860ca;--yes:#1a7431;--no:#c21c28;--on:#fff;--hatch:rgba(255,255,255,.42);--warn:#fff8c5;${stateColours('light')}`;
const DARK = `--bg:#0d1117;--card:#161b22;--ink:#e6edf3;--soft:#9da7b1;--line:#30363d;--grid:#2a3038;--accent:#6cb6ff;--yes:#57d46f;--no:#ff8e86;--on:#0d1117;--hatch:rgba(13,17,23,.38);--warn:#3a2d06;${stateColours('dark')}`;

export const style = (): string =>
  `:root{color-scheme:light dark;${LIGHT}}
@media screen and (prefers-color-scheme:dark){:root{${DARK}}}
${RULES}
${stateRules()}
`;

const RULES = `*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;print-color-adjust:exact;-webkit-print-color-adjust:exact}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
main,header,footer{max-width:1120px;margin:0 auto;padding:0 16px}
header{padding-top:32px}
h1{font-size:clamp(1.4rem,4.5vw,2.1rem);line-height:1.2;margin:.2em 0 .3em;text-wrap:balance}
h2{font-size:1.25rem;margin:0 0 12px}
h3{font-size:1rem;margin:20px 0 8px}
a{color:var(--accent)}
code,.id{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.92em}
time,.role,figcaption,.meta{color:var(--soft);font-size:.875rem}
.eyebrow{color:var(--soft);font-size:.875rem;letter-spacing:.04em;margin:0}
.lead{font-size:1.15rem;margin:0 0 4px}
.goal-status{display:inline-block;border:1.5px solid currentColor;border-radius:999px;padding:1px 12px;font-size:.875rem;font-weight:600}
nav ul,.legend,.plain,.tiles,.rounds,.blockers{list-style:none;margin:0;padding:0}
nav ul{font-size:.9375rem;display:flex;flex-wrap:wrap;gap:4px 16px;margin:16px 0}
.tiles{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:12px;margin:20px 0}
.tiles li{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:12px 14px}
.tiles b{display:block;font-size:1.6rem;line-height:1.2;font-variant-numeric:tabular-nums;overflow-wrap:normal}
.tiles span{color:var(--soft);font-size:.875rem}
section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:20px;margin:0 0 20px}
section>:last-child{margin-bottom:0}
section.waits{background:var(--warn);border-color:var(--BLOCKED)}
.legend{display:flex;flex-wrap:wrap;gap:6px 16px;margin:0 0 14px;font-size:.875rem}
.figures{margin:10px 0 0}
.legend li{display:flex;align-items:center;gap:6px}
.defs{position:absolute}
pattern path{fill:none;stroke:var(--hatch);stroke-width:2}
.swatch text,.seg text,.mark text{fill:var(--on);font-size:12px;font-weight:600;text-anchor:middle}
.seg text,.swatch text{stroke-width:4px;paint-order:stroke;stroke-linejoin:round}
.mark{overflow:visible}
.mark circle{stroke:var(--card);stroke-width:2}
.lane{display:grid;grid-template-columns:minmax(0,17rem) minmax(0,1fr);gap:2px 16px;align-items:center;padding:5px 0}
.plain .lane+.lane{border-top:1px solid var(--line)}
.axis{padding:0}
.who{font-size:.9rem;line-height:1.35}
.who .said{display:block;color:var(--soft);font-size:.8125rem}
.bar,.plot{display:block;width:100%}
.bar{overflow:visible}
.time .bar{background:var(--ticks)}
.time .axis .bar{background:none}
.bar>text,.plot text{fill:var(--soft);font-size:12px;font-variant-numeric:tabular-nums}
text.mid{text-anchor:middle}text.last,text.end{text-anchor:end}
.pill{display:inline-block;border-radius:999px;padding:0 9px;font-size:.78rem;font-weight:600;line-height:1.6;color:var(--on);white-space:nowrap}
.said{unicode-bidi:isolate}
.lines{white-space:pre-wrap}
.none{color:var(--soft)}
.yes{color:var(--yes)}.no{color:var(--no)}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,400px),1fr));gap:24px}
figure{margin:0;min-width:0;padding:0 9px}
figure h3{margin-top:0}
.plot{overflow:visible}
.grid{stroke:var(--grid)}
.area{shape-rendering:crispEdges;fill:var(--MERGED);opacity:.16}
.merged{stroke:var(--MERGED);stroke-width:2.5;stroke-linecap:square}
.wanted{stroke:var(--soft);stroke-width:1.75;stroke-dasharray:5 4}
.plot text.end{fill:var(--ink);font-weight:600;font-size:13px;stroke:var(--card);stroke-width:4px;paint-order:stroke}
.rate{stroke:var(--accent);stroke-width:2}
.verdict{overflow:visible}
.verdict .back{fill:var(--card)}
.verdict.yes circle+circle{fill:var(--yes)}
.verdict.no path{stroke:var(--no);stroke-width:3;stroke-linecap:round}
.in{fill:var(--CLAIMED)}
.scroll{overflow-x:auto}
.lanes+.scroll,.lanes+details{margin-top:16px}
table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
table.narrow{width:26rem;max-width:100%}
caption{text-align:left;color:var(--soft);font-size:.875rem;padding:0 0 6px}
th,td{text-align:left;vertical-align:top;padding:7px 12px 7px 0;border-top:1px solid var(--line)}
th[scope=row]{font-weight:500}
thead th{color:var(--soft);font-weight:600;font-size:.8125rem;border-top:0}
th,.n{overflow-wrap:normal}.n{text-align:right;white-space:nowrap}
details{margin:8px 0}
summary{cursor:pointer;padding:4px 0}
section>details{border-top:1px solid var(--line);padding-top:4px}
.rounds{margin:4px 0 12px;border-left:3px solid var(--line)}
.rounds>li{padding:2px 0 10px 14px}
.verdict-told{margin-top:4px;color:var(--ink)}
.verdict-told>b{color:var(--soft)}.verdict-told.yes>b{color:var(--yes)}.verdict-told.no>b{color:var(--no)}
.verdict-told .said{display:block;margin-top:2px}
.blockers li{margin:4px 0}.blockers .said{display:inline}
.whole{margin:2px 0}.whole>summary{color:var(--soft);font-size:.875rem}
.course{margin:0;padding:0 0 0 20px}
.course li{margin:0 0 10px}
footer{color:var(--soft);font-size:.875rem;padding-bottom:32px}
@media (max-width:680px){
section{padding:16px 14px;margin-left:-4px;margin-right:-4px}
.lane{grid-template-columns:minmax(0,1fr);padding:8px 0}
.axis .who{display:none}
.who .said{display:inline;margin-left:4px}
.cards,.cards tbody,.cards tr,.cards td,.cards th,.cards caption{display:block;text-align:left}
.cards thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table.narrow{width:100%}
.cards tr{border-top:1px solid var(--line);padding:8px 0}
.cards th,.cards td{border:0;padding:2px 0}
.cards td.n{display:inline-block;margin-right:14px}
.cards td.empty{display:none}
.tiles{grid-template-columns:repeat(2,minmax(0,1fr));gap:8px}
.cards td::before{content:attr(data-l) ": ";color:var(--soft)}
}
@media print{
body{background:#fff;font-size:11pt}
main,header,footer{max-width:none;padding:0}
nav{display:none}
section{border:0;padding:0;margin:0 0 18pt}
section.waits{padding:10pt}
table{font-size:9pt}
.lane,tr,figure,.rounds>li,.tiles li{break-inside:avoid}
h2,h3{break-after:avoid}
.scroll{overflow:visible}
}`;
