/** Checks redirect addresses, to which codes are sent (OAuth 2.1, 2.3.1 and 4.1.2; RFC 8252, 7). */

export const longest = 2_048

const loopbacks = new Set(["localhost", "127.0.0.1", "[::1]"])

/** Whether a host, as `URL` returns it, is the user's own computer. */
export const isLoopback = (hostname: string): boolean => loopbacks.has(hostname)

/** Schemes that a browser or a system handles itself; any other scheme may be an assistant's. */
const refusedSchemes = new Set(
  [
    // Of browsers: internal pages, and other ways to a page or a script.
    "about blob brave cid data devtools edge feed file filesystem firefox googlechrome googlechromes jar javascript",
    "livescript mhtml mocha moz-icon opera res resource vbs vbscript view-source vivaldi wyciwyg",
    // To other servers.
    "afp afs cifs dav davs dict dns ftp ftps git gopher imap ipp ipps irc ircs jdbc ldap ldaps news nfs nntp pop rdp",
    "rlogin rsync rtmp rtsp scp sftp smb snews ssh stun stuns svn telnet tftp tn3270 turn turns vnc ws wss",
    // To people, places and payments.
    "bitcoin callto ethereum geo im lightning mailto maps message mms mmsto sip sips skype sms smsto tel tg viber",
    "webcal webcals whatsapp xmpp zoommtg zoomus",
    // To programs that a system runs, installs or configures.
    "android-app app-prefs app-settings applescript apt hcp help intent ios-app its jnlp jnlps macappstore",
    "macappstores magnet market mk prefs search search-ms shell shortcuts steam windowsdefender workflow",
    // Names that are not locations.
    "doi info mid oid tag urn uuid"
  ].flatMap((line) => line.split(" "))
)

/** Families of schemes; and `https.`, `http+x` and the like, which look like web sites. */
const refusedFamilies = /^(http(?!s?$)|chrome(?!-extension$)|ms-|microsoft-edge|x-apple|itms|facetime)/

/** Parameters that the answer itself adds (RFC 6749, 4.1.2; RFC 9207). */
const answerNames = ["code", "state", "iss", "error", "error_description", "error_uri"]

/** From the slashes to the path. */
const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i

/** Why no code may be sent there, as the end of a sentence; `null` when it may. */
export const fault = (uri: string): string | null => {
  const url = URL.parse(uri)
  // Browsers treat a backslash as a slash, few other programs do.
  if (url === null || !/^[\x21-\x5b\x5d-\x7e]+$/.test(uri)) {
    return "must be absolute URIs in ASCII, without spaces and backslashes"
  }
  if (uri.length > longest) return `must not be longer than ${longest} characters`
  if (uri.includes("#")) return "must not have a fragment"
  const scheme = url.protocol.slice(0, -1)
  const host = authority.exec(uri)?.[1]
  const isSite = scheme === "https" || scheme === "http"
  if (isSite && (host === undefined || host === "")) return "must have // and a host after https: or http:"
  if (host?.includes("@") === true) return "must not have credentials"
  if (refusedSchemes.has(scheme) || refusedFamilies.test(scheme)) {
    return "must not use a scheme that browsers or systems act on themselves"
  }
  const isOnComputer = isLoopback(url.hostname)
  if (scheme === "http" && !isOnComputer) return "must use https, or http on the loopback interface"
  if (scheme === "https" && isOnComputer) return "must use http on the loopback interface"
  const taken = answerNames.find((name) => url.searchParams.has(name))
  return taken === undefined ? null : `must not have \`${taken}\` in the query: that is for the answer`
}
