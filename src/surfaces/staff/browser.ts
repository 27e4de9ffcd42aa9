/**
 * Names a browser and its system by the user agent. Browsers also name those that they imitate, so specific names are
 * tried before general ones.
 */
export function browserOf(agent: string): { browser: string; system: string } | undefined {
  const browser = nameIn(browsers, agent)
  const system = nameIn(systems, agent)
  return browser && system ? { browser, system } : undefined
}

type Names = readonly (readonly [name: string, pattern: RegExp])[]

const nameIn = (names: Names, agent: string) => names.find(([, pattern]) => pattern.test(agent))?.[0]

const browsers: Names = [
  ['Yandex Browser', /\bYaBrowser\//],
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /(?:\bChrome|\bHeadlessChrome|\bCriOS)\//],
  ['Safari', /\bVersion\/.*\bSafari\//],
]

const systems: Names = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
]
