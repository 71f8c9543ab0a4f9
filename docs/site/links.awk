# A page of the project as Doxygen wants it. Headings get the names that GitHub gives them (Doxygen's are numbers), and links that work on
# GitHub lead to them: to a page or a heading of the site, else to the file, below $YATLAB_SOURCE_URL or in the tree beside build/docs/html.
# In `it's` Doxygen would see no code; in ``it's`` it does.
function page_of(path) {
  if (path == "README.md") return "index"
  sub(/^docs\//, "", path); sub(/\.md$/, "", path); gsub(/\//, "-", path)
  return tolower(path)
}
function slug_of(text) {
  text = tolower(text)
  gsub(/[^a-z0-9 _-]/, "", text); gsub(/ /, "-", text)
  return text
}
# The path of a link from this page's folder, without "..".
function from_root(path,   all) {
  all = folder path
  while (sub(/[^\/]+\/\.\.\//, "", all)) continue
  return all
}
# What a link with this text leads to, in Doxygen's words.
function linked(text, link,   path, anchor) {
  if (link ~ /^[a-z]+:/) return "[" text "](" link ")"
  path = link; anchor = ""
  if (match(link, "#")) { path = substr(link, 1, RSTART - 1); anchor = "-" substr(link, RSTART + 1) }
  path = path == "" ? page_path : from_root(path)
  if (path ~ /^(docs\/.*|README|CONTRIBUTING|CHANGELOG)\.md$/) return "[" text "](@ref " page_of(path) anchor ")"
  return path ~ /\.(svg|png)$/ ? "[" text "](" path ")" : "<a href=\"" source path "\">" text "</a>"
}
function with_links(line,   out, part, middle) {
  out = ""
  while (match(line, /\[[^][]*\]\([^)]*\)/)) {
    out = out substr(line, 1, RSTART - 1)
    part = substr(line, RSTART, RLENGTH)
    line = substr(line, RSTART + RLENGTH)
    middle = index(part, "](")
    out = out linked(substr(part, 2, middle - 2), substr(part, middle + 2, length(part) - middle - 2))
  }
  return out line
}
BEGIN { source = ENVIRON["YATLAB_SOURCE_URL"]; if (source == "") source = "../../.."; source = source "/" }
FNR == 1 {
  page_path = FILENAME
  if (!sub(/^.*\/docs\//, "docs/", page_path) || page_path ~ /(README|CONTRIBUTING|CHANGELOG)\.md$/) sub(/^.*\//, "", page_path)
  folder = page_path; sub(/[^\/]*$/, "", folder)
  page = page_of(page_path)
}
/^```/ { code = !code }
!code && /^#+ / {
  level = index($0, " ") - 1
  text = substr($0, level + 2)
  slug = slug_of(text)
  if (slug in seen) slug = slug "-" seen[slug]++; else seen[slug] = 1
  print $0 " {#" (level > 1 ? page "-" slug : page == "index" ? "mainpage" : page) "}"
  if (level == 1 && page != "index") print "\n[TOC]"
  next
}
!code && !/^    / {
  $0 = with_links($0)
  count = split($0, part, "`")
  if (count > 2 && !/``/) {
    $0 = part[1]
    for (i = 2; i <= count; i++) $0 = $0 "``" part[i]
  }
}
{ print }
