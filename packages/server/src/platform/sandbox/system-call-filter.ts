type Architecture = "x64" | "arm64";

/** The kernel's names for the architectures; calls of any other, such as 32-bit programs, are refused. */
const auditNumbers: Readonly<Record<Architecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

/**
 * System calls that no build or test needs, by architecture: those that Docker's default profile refuses to a container
 * without capabilities. They reach into the kernel (modules, tracing, keys, clocks), or make namespaces and mounts, in which
 * a program has rights that kernel bugs then extend.
 */
const refusedCalls: Readonly<Record<string, readonly [x64: number | undefined, arm64: number | undefined]>> = {
  acct: [163, 89],
  add_key: [248, 217],
  bpf: [321, 280],
  chroot: [161, 51],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  create_module: [174, undefined],
  delete_module: [176, 106],
  fanotify_init: [300, 262],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  get_kernel_syms: [177, undefined],
  get_mempolicy: [239, 236],
  init_module: [175, 105],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  ioperm: [173, undefined],
  iopl: [172, undefined],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  lookup_dcookie: [212, 18],
  mbind: [237, 235],
  // Docker allows it; here nobody could count the memory of a file that is not mapped.
  memfd_secret: [447, 447],
  migrate_pages: [256, 238],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  move_pages: [279, 239],
  nfsservctl: [180, 42],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  perf_event_open: [298, 241],
  pidfd_getfd: [438, 438],
  pivot_root: [155, 41],
  query_module: [178, undefined],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  request_key: [249, 218],
  // Docker allows it; here it would undo the limit of cores.
  sched_setaffinity: [203, 122],
  set_mempolicy: [238, 237],
  set_mempolicy_home_node: [450, 450],
  setdomainname: [171, 162],
  sethostname: [170, 161],
  setns: [308, 268],
  settimeofday: [164, 170],
  swapoff: [168, 225],
  swapon: [167, 224],
  sysfs: [139, undefined],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  uselib: [134, undefined],
  userfaultfd: [323, 282],
  ustat: [136, undefined],
  vhangup: [153, 58],
};

/** Calls that are refused for some arguments only. */
const checkedCalls = {
  clone: [56, 220],
  close_range: [436, 436],
  ioctl: [16, 29],
  memfd_create: [319, 279],
  mmap: [9, 222],
  personality: [135, 92],
  prctl: [157, 167],
  seccomp: [317, 277],
  setsockopt: [54, 208],
  socket: [41, 198],
} as const;

/**
 * Give a file attributes. Files in memory have room for any number of them, 64 KB each, which belongs to the kernel and counts
 * for nobody. Refused as a disk does that knows none, which programs that copy files expect.
 */
const attributeCalls: Readonly<Record<string, readonly [x64: number, arm64: number]>> = {
  fsetxattr: [190, 7],
  lsetxattr: [189, 6],
  setxattr: [188, 5],
  setxattrat: [463, 463],
};

/** Calls that are answered as by a kernel which does not know them: programs expect that, and do without. */
const unknownCalls: Readonly<Record<string, readonly [x64: number, arm64: number]>> = {
  // Takes its flags from memory, which a filter cannot read. Libraries use `clone` then.
  clone3: [435, 435],
  // Takes of what the machine has for all (`fs.aio-max-nr`, 65,536 by default). Databases use threads then.
  io_setup: [206, 0],
  // Rules take memory of the kernel that counts for nobody, and hold deleted files that nobody sees. Docker allows them.
  landlock_add_rule: [445, 445],
  landlock_create_ruleset: [444, 444],
  landlock_restrict_self: [446, 446],
};

/** The last that was looked at for this table. Programs do without newer ones. */
const lastKnownCall = 470;

/** All flags of `clone` that make a namespace. */
const namespaceFlags = 0x7e02_0000;
const CLONE_THREAD = 0x1_0000;
/**
 * A thread with open files or a working folder of its own would hide them, and what of them is deleted: they are looked for by
 * process. No library makes such threads.
 */
const sharedByThreads = { CLONE_FS: 0x200, CLONE_FILES: 0x400 };
/** Gives a thread open files of its own, too. Older systems do not know it. */
const CLOSE_RANGE_UNSHARE = 2;
/**
 * Add a filter of system calls, by either call. A thread may have filters of its own that take 0.9 MB of the kernel, which counts
 * for nobody. Refused as by a kernel that was built without filters. Docker allows them.
 */
const filterRequests = { PR_SET_SECCOMP: 22, SECCOMP_SET_MODE_FILTER: 1 };
/**
 * Hides what a process has open from everybody but root. Where root does not run the service, files in memory, deleted files,
 * terminals and sockets would count nowhere. Answered as if it were done: key agents end where it is not. Whatever else is in
 * the sandbox is of the same program.
 */
const PR_SET_DUMPABLE = 4;
/**
 * Of one process or thread, answered as by a kernel that does not know them. The first reserves the other half of a core, where
 * two threads share one, which would undo the limit of cores. The second makes a table of the kernel's for a process, of up to a
 * gigabyte, which counts for nobody.
 */
const unknownOptions = { PR_SCHED_CORE: 62, PR_FUTEX_HASH: 78 };
/**
 * Wait for files, and which argument says for how many. While a thread waits, the kernel keeps 72 bytes for each, or more, which
 * count for nobody, and one file may be there many times: two thousand threads that waited for 20,000 took 3 GB.
 */
const waitingCalls = {
  poll: [7, undefined, "secondArgument"],
  ppoll: [271, 73, "secondArgument"],
  pselect6: [270, 72, "firstArgument"],
  select: [23, undefined, "firstArgument"],
} as const;
/** As many as a run may have sockets. Refused as where no more files can be open. */
const maxWaitedFor = 4_096;
/** Push input into a terminal. */
const terminalRequests = { TIOCSTI: 0x5412, TIOCLINUX: 0x541c };
/**
 * Ask for memory in huge pages, which the operator has set aside for some program: it counts as no process's own. Refused as on
 * a machine that has none left, and by a kernel that has no such files: browsers ask with all flags what the kernel answers, and
 * end for any other word than this. Docker allows them.
 */
const MAP_HUGETLB = 0x4_0000;
const MFD_HUGETLB = 4;
const SOL_SOCKET = 1;
/**
 * Give a socket a filter, or a program that shares out its connections. Each is compiled into memory that the machine has some
 * hundred megabytes of for all (`net.core.bpf_jit_limit`): without any, no sandbox gets its own filter, and none starts. Refused
 * as by a kernel that does not know them. Docker allows them.
 */
const filterOptions = {
  SO_ATTACH_FILTER: 26,
  SO_ATTACH_BPF: 50,
  SO_ATTACH_REUSEPORT_CBPF: 51,
  SO_ATTACH_REUSEPORT_EBPF: 52,
};
/** To the hypervisor, and to the kernel's cryptography: neither belongs to a network. */
const socketFamilies = { AF_ALG: 38, AF_VSOCK: 40 };
/** Linux, its 64-bit and its 32-bit variants, and the question which one it is. */
const personalities = [0, 8, 0x2_0000, 0x2_0008, 0xffff_ffff];

const errors = { EPERM: 1, ENOMEM: 12, EINVAL: 22, ENOSYS: 38, ENOPROTOOPT: 92, EOPNOTSUPP: 95, EAFNOSUPPORT: 97 };

/** The program that the kernel runs for each system call in the sandbox; undefined where we have no table. */
export function systemCallFilter(architecture: string): Buffer | undefined {
  if (architecture !== "x64" && architecture !== "arm64") return undefined;
  const column = architecture === "x64" ? 0 : 1;
  const refused = Object.values(refusedCalls).flatMap((numbers) => numbers[column] ?? []);
  const unknown = Object.values(unknownCalls).map((numbers) => numbers[column]);
  const attributes = Object.values(attributeCalls).map((numbers) => numbers[column]);
  const number = (call: keyof typeof checkedCalls) => checkedCalls[call][column];
  return assemble([
    load(offsets.architecture),
    ...unless(equals(auditNumbers[architecture]), [refuse("EPERM")]),
    load(offsets.number),
    ...when(greater(lastKnownCall), [refuse("ENOSYS")]),
    ...unknown.flatMap((call) => when(equals(call), [refuse("ENOSYS")])),
    ...refused.flatMap((call) => when(equals(call), [refuse("EPERM")])),
    ...attributes.flatMap((call) => when(equals(call), [refuse("EOPNOTSUPP")])),
    ...when(equals(number("mmap")), [
      load(offsets.fourthArgument),
      ...when(hasAny(MAP_HUGETLB), [refuse("ENOMEM")]),
      allow,
    ]),
    ...when(equals(number("memfd_create")), [
      load(offsets.secondArgument),
      ...when(hasAny(MFD_HUGETLB), [refuse("EINVAL")]),
      allow,
    ]),
    ...Object.values(waitingCalls).flatMap((call) => {
      const [waiting, argument] = [call[column], call[2]];
      if (waiting === undefined) return [];
      const refused = when(greater(maxWaitedFor), [refuse("EINVAL")]);
      return when(equals(waiting), [load(offsets[argument]), ...refused, allow]);
    }),
    ...when(equals(number("clone")), [
      load(offsets.firstArgument),
      ...when(hasAny(namespaceFlags), [refuse("EPERM")]),
      ...when(
        hasAny(CLONE_THREAD),
        Object.values(sharedByThreads).flatMap((flag) => unless(hasAny(flag), [refuse("EINVAL")])),
      ),
      allow,
    ]),
    ...when(equals(number("close_range")), [
      load(offsets.thirdArgument),
      ...when(hasAny(CLOSE_RANGE_UNSHARE), [refuse("EINVAL")]),
      allow,
    ]),
    ...when(equals(number("prctl")), [
      load(offsets.firstArgument),
      ...[filterRequests.PR_SET_SECCOMP, ...Object.values(unknownOptions)].flatMap((option) =>
        when(equals(option), [refuse("EINVAL")]),
      ),
      ...unless(equals(PR_SET_DUMPABLE), [allow]),
      load(offsets.secondArgument),
      ...when(equals(0), [pretend]),
      allow,
    ]),
    ...when(equals(number("seccomp")), [
      load(offsets.firstArgument),
      ...when(equals(filterRequests.SECCOMP_SET_MODE_FILTER), [refuse("EINVAL")]),
      allow,
    ]),
    ...when(equals(number("setsockopt")), [
      load(offsets.secondArgument),
      ...unless(equals(SOL_SOCKET), [allow]),
      load(offsets.thirdArgument),
      ...Object.values(filterOptions).flatMap((option) => when(equals(option), [refuse("ENOPROTOOPT")])),
      allow,
    ]),
    ...when(equals(number("socket")), [
      load(offsets.firstArgument),
      ...Object.values(socketFamilies).flatMap((family) => when(equals(family), [refuse("EAFNOSUPPORT")])),
      allow,
    ]),
    ...when(equals(number("ioctl")), [
      load(offsets.secondArgument),
      ...Object.values(terminalRequests).flatMap((request) => when(equals(request), [refuse("EPERM")])),
      allow,
    ]),
    ...when(equals(number("personality")), [
      load(offsets.firstArgument),
      ...personalities.flatMap((personality) => when(equals(personality), [allow])),
      refuse("EPERM"),
    ]),
    allow,
  ]);
}

/** An instruction of the kernel's packet filter: what it does, how many to skip if true and if false, its operand. */
interface Instruction {
  readonly code: number;
  readonly ifTrue: number;
  readonly ifFalse: number;
  readonly operand: number;
}

type Condition = Pick<Instruction, "code" | "operand">;

/** Where the kernel puts the call; of arguments, these are the lower halves. */
const offsets = {
  number: 0,
  architecture: 4,
  firstArgument: 16,
  secondArgument: 24,
  thirdArgument: 32,
  fourthArgument: 40,
};

const load = (offset: number): Instruction => ({ code: 0x20, ifTrue: 0, ifFalse: 0, operand: offset });
const answer = (operand: number): Instruction => ({ code: 0x06, ifTrue: 0, ifFalse: 0, operand });
const allow = answer(0x7fff_0000);
const refuse = (error: keyof typeof errors) => answer(0x0005_0000 | errors[error]);
/** Answers that it is done. */
const pretend = answer(0x0005_0000);

const equals = (operand: number): Condition => ({ code: 0x15, operand });
const greater = (operand: number): Condition => ({ code: 0x25, operand });
const hasAny = (operand: number): Condition => ({ code: 0x45, operand });

function when(condition: Condition, body: readonly Instruction[]): Instruction[] {
  return [{ ...condition, ifTrue: 0, ifFalse: body.length }, ...body];
}

function unless(condition: Condition, body: readonly Instruction[]): Instruction[] {
  return [{ ...condition, ifTrue: body.length, ifFalse: 0 }, ...body];
}

/** Eight bytes an instruction; both architectures are little-endian. */
function assemble(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(8 * instructions.length);
  instructions.forEach(({ code, ifTrue, ifFalse, operand }, index) => {
    bytes.writeUInt16LE(code, 8 * index);
    bytes.writeUInt8(ifTrue, 8 * index + 2);
    bytes.writeUInt8(ifFalse, 8 * index + 3);
    bytes.writeUInt32LE(operand, 8 * index + 4);
  });
  return bytes;
}
