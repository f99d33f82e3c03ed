/** The origins whose pictures, sound and film the page's policy allows. */
import { useQuery } from "@tanstack/react-query"
import { sessionQuery } from "#console/api/Session.ts"

export const useMediaOrigins = (): ReadonlyArray<string> => {
  const { data } = useQuery(sessionQuery)
  const media = data === undefined ? undefined : URL.parse(data.urls.mediaUrl)?.origin
  return media === undefined ? [location.origin] : [location.origin, media]
}
