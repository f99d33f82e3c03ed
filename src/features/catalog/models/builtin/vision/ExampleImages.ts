/** Pictures for example inputs, small enough for the catalog, so that examples run without internet. */

/** A gradient of 16 × 12 pixels, WebP. */
export const gradient =
  "data:image/webp;base64,UklGRkwAAABXRUJQVlA4IEAAAACwAQCdASoQAAwAAoBCJbACdAEOtW9oAP73yEUaIDqK3ioDOjH/5NX2TlLEr2u5Kw9fIKv8xT1n/++njT5R0AAA"

/** "Hello world" in black on white, 180 × 44 pixels, PNG. */
export const helloWorld =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAALQAAAAsAgMAAACxlnqPAAAADFBMVEX///8ZGRmurq5sbGzkaQG5AAAACXBIWXMAAAsTAAALEwEAmpwYAAABjElEQVQ4y+3UMUvDQBQA4Jc7MsRyY5tfkMXFKXS9n5CWvJJCLdFfEOjmdPgb2m5KR+1eXATzI5oK6tDZX+CkvncRGxJQHASRPhK4vH7N3b27C8A+9vGrsRCLZvLAAAize761F0Uis6ZWGsBJd89TgHWpnR9p+Rd0C7dWr8aU6UJoXKPQiH6htChO6jrEhLVEpGoF0M7pxkwMUWkPh3W9oZu0lwX0i2tmugsDORJolHZ1WNEzxFgk4LN2NVfRNRe6Q6mNiGncIbg1LSPqnnRgREQzyx/TDk3Cp38o7YNX0fPlck1vLDUQAE/3symlulZ3GjVxEJF1SHWkip32oyciIXWk9Pw7Pcmi5FNPmzorV6fUcpI+RF+8W37octyipy8jh2cZ2XF7Nc2VsBXMJbeOcz+jxtxqH1R9dWIQrFXqcS+Yt1MxgtjqwAR1PXu+Ye2MV7SLoDChhvvrxGr3rKjrAAd2V1FpeMEg0LR1Uqsd7FX0FV/ibWvP5dELpw75OLZe6ahy4+7c7D9a/y3eAXwzi/iRnxV1AAAAAElFTkSuQmCC"
