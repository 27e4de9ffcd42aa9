/** Addresses that nobody may be called at, in every spelling that a parser or a resolver takes for them. */

export const denied = [
  ...[
    '127.0.0.1',
    '127.1.2.3',
    '0.0.0.0',
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.254',
    '192.168.0.1',
  ],
  ...[
    '169.254.169.254',
    '169.254.0.1',
    '100.64.0.1',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '198.18.0.1',
  ],
  ...['224.0.0.1', '240.0.0.1', '255.255.255.255', '192.88.99.1', '192.0.2.1'],
]

/** How an IPv4 address can be written, in URLs that parsers mend and in IPv6. */
export function spellingsOf(address: string): string[] {
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number]
  const whole = ((a * 256 + b) * 256 + c) * 256 + d
  const hex = (byte: number) => byte.toString(16).padStart(2, '0')
  const octal = (byte: number) => `0${byte.toString(8)}`
  const pair = (high: number, low: number) => `${hex(high)}${hex(low)}`
  const pairs = `${pair(a, b)}:${pair(c, d)}`
  const wide = address.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))
  return [
    ...[
      address,
      `${address}.`,
      String(whole),
      `0x${whole.toString(16)}`,
      `0X${whole.toString(16).toUpperCase()}`,
      `0${whole.toString(8)}`,
    ],
    ...[
      [a, b, c, d].map(octal).join('.'),
      [a, b, c, d].map((byte) => `0x${hex(byte)}`).join('.'),
      `${a}.${octal(b)}.0x${hex(c)}.${d}`,
    ],
    ...[
      `${a}.${b}.${c * 256 + d}`,
      `${a}.${(b * 256 + c) * 256 + d}`,
      `00000${octal(a)}.${b}.${c}.${d}`,
      `0x0000${hex(a)}.${b}.${c}.${d}`,
    ],
    ...[
      wide,
      address.replaceAll('.', '。'),
      address.replaceAll('.', '．'),
      address.replace('.', '%2e'),
      address.replace(/\d/, (digit) => `%3${digit}`),
    ],
    ...[
      `[::ffff:${address}]`,
      `[::ffff:${pairs}]`,
      `[0:0:0:0:0:ffff:${pairs}]`,
      `[::FFFF:${pairs.toUpperCase()}]`,
      `[0000:0000:0000:0000:0000:ffff:${pairs}]`,
    ],
    ...[
      `[::${address}]`,
      `[::${pairs}]`,
      `[::ffff:0:${pairs}]`,
      `[64:ff9b::${address}]`,
      `[64:ff9b::${pairs}]`,
      `[64:ff9b:1::${pairs}]`,
    ],
    ...[`[2002:${pairs}::]`, `[2002:${pairs}::1]`, `[fe80::${pairs}%25lo]`],
  ]
}
/** Names and IPv6 addresses that lead to this machine, its network or its cloud. */
export const otherHosts = [
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'ⓛocalhost',
    'localhost.localdomain',
    'ip6-localhost',
    'foo.localhost',
  ],
  ...[
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::0001]',
    '[fe80::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[ff02::1]',
    '[fec0::1]',
    '[100::1]',
  ],
  ...[
    'metadata',
    'metadata.google.internal',
    'instance-data.ec2.internal',
    '127.0.0.1.nip.example',
    '0',
    '0.0',
    '127.1',
    '1',
  ],
]
