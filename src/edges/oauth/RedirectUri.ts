/** Where codes may be sent (OAuth 2.1, 2.3.1 and 4.1.2; RFC 8252, 7). */

export const longest = 2_048

const loopbacks = new Set(["localhost", "127.0.0.1", "[::1]"])

/** Of a host as `URL` has it: a program on the reader's own computer listens there. */
export const isLoopback = (hostname: string): boolean => loopbacks.has(hostname)

/**
 * Schemes that a browser, a system or one of its tools acts on by itself: no app of the client's would be behind them, and
 * whoever is sent there has something opened, dialled or searched. Everything else may be an assistant's.
 */
const refusedSchemes = new Set(
  [
    // Of browsers: what they have inside, and other ways to a page or to a script.
    "about blob brave cid data devtools edge feed file filesystem firefox googlechrome googlechromes jar javascript",
    "livescript mhtml mocha moz-icon opera res resource vbs vbscript view-source vivaldi wyciwyg",
    // To other servers.
    "afp afs cifs dav davs dict dns ftp ftps git gopher imap ipp ipps irc ircs jdbc ldap ldaps news nfs nntp pop rdp",
    "rlogin rsync rtmp rtsp scp sftp smb snews ssh stun stuns svn telnet tftp tn3270 turn turns vnc ws wss",
    // To people, places and payments.
    "bitcoin callto ethereum geo im lightning mailto maps message mms mmsto sip sips skype sms smsto tel tg viber",
    "webcal webcals whatsapp xmpp zoommtg zoomus",
    // To what a system runs, installs or sets up.
    "android-app app-prefs app-settings applescript apt hcp help intent ios-app its jnlp jnlps macappstore",
    "macappstores magnet market mk prefs search search-ms shell shortcuts steam windowsdefender workflow",
    // Names of things, and no places.
    "doi info mid oid tag urn uuid"
  ].flatMap((line) => line.split(" "))
)

/** Whole families of them; and `https.`, `http+x` and the like, which pass for sites. */
const refusedFamilies = /^(http(?!s?$)|chrome(?!-extension$)|ms-|microsoft-edge|x-apple|itms|facetime)/

/** What the answer itself says there (RFC 6749, 4.1.2; RFC 9207). */
const answerNames = ["code", "state", "iss", "error", "error_description", "error_uri"]

/** From the slashes to the path. */
const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i

/** Why a code is not to be sent there, as the end of a sentence; `null`: it may be. */
export const fault = (uri: string): string | null => {
  const url = URL.parse(uri)
  // A backslash is a slash to browsers, and to few others.
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
