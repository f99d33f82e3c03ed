/** Whether the browser says that a form came from our own pages (Fetch Metadata; Fetch standard, "`Origin` header"). */
import type { RequestHeaders } from "./RequestHeaders.ts"

/** @param origin of our pages. */
export const holds = (headers: RequestHeaders, origin: string): boolean => {
  const site = headers["sec-fetch-site"] ?? "none"
  return (site === "same-origin" || site === "none") && (headers["origin"] ?? origin) === origin
}
