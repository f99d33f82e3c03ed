/** Checks a page for readers with low vision (WCAG 2.2, 1.4.3 and 1.4.10). Runs in the page. */

export interface Readability {
  /** Texts with a contrast below 4.5 to their background, and the contrast. */
  readonly faint: ReadonlyArray<string>
  /** The number of checked texts. */
  readonly seen: number
  /** CSS pixels. */
  readonly wide: number
}

export const look = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number)
  const luminance = (color) => {
    const [r, g, b] = channels(color).slice(0, 3).map((value) => {
      const part = value / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const isClear = (color) => channels(color)[3] === 0
  const behind = (element) => {
    const color = getComputedStyle(element).backgroundColor
    return isClear(color) && element.parentElement !== null ? behind(element.parentElement) : color
  }
  const contrast = (element) => {
    const [dark, light] = [getComputedStyle(element).color, behind(element)].map(luminance).sort((a, b) => a - b)
    return (light + 0.05) / (dark + 0.05)
  }
  const texts = [...document.body.querySelectorAll("*")].filter((element) =>
    element.matches("input:not([type=hidden])") ||
    [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "")
  )
  const faint = texts.flatMap((element) => {
    const found = contrast(element)
    return found < 4.5 ? [(element.textContent || element.id) + ": " + found.toFixed(2)] : []
  })
  return { faint, seen: texts.length, wide: document.documentElement.scrollWidth }
})()`
