//! What runs: tasks, activities and processes.

use super::{front_record, hash, record};
use crate::phone::{OpenActivity, Phone, short_component};

pub(super) fn dump(phone: &mut Phone, words: &[&str]) -> String {
    let mut words = words.to_vec();
    let mut only = None;
    if let Some(at) = words.iter().position(|word| *word == "-p") {
        only = words.get(at + 1).map(|package| (*package).to_owned());
        words.drain(at..(at + 2).min(words.len()));
    }
    words.retain(|word| !matches!(*word, "-a" | "-c" | "--all" | "all"));
    let only = only.as_deref();
    match words.first().copied() {
        Some("a" | "activities") => activities(phone, only),
        Some("top") => top(phone),
        Some("r" | "recents") => recents(phone),
        Some("p" | "processes" | "lru" | "l") => processes(phone, only),
        Some("s" | "services") => services(phone),
        Some("b" | "broadcasts" | "broadcast-stats") => broadcasts(),
        Some("i" | "intents") => intents(),
        Some("prov" | "providers") => {
            "ACTIVITY MANAGER CONTENT PROVIDERS (dumpsys activity providers)\n  (nothing)\n".to_owned()
        }
        Some("starter" | "containers" | "lastanr" | "permissions" | "settings" | "oom" | "o" | "perm") => {
            format!("ACTIVITY MANAGER {} (dumpsys activity)\n  (nothing)\n", words[0].to_uppercase())
        }
        Some(name) => one(phone, name),
        None => [
            intents(),
            broadcasts(),
            services(phone),
            recents(phone),
            activities(phone, only),
            processes(phone, only),
        ]
        .concat(),
    }
}

fn uid_of(phone: &Phone, package: &str) -> u32 {
    phone.packages.get(package).map_or(0, |package| package.uid)
}

fn process(phone: &Phone, package: &str) -> String {
    let (pid, uid) = (phone.pid_of(package).unwrap_or(0), uid_of(phone, package));
    let user = uid.saturating_sub(10_000);
    format!("ProcessRecord{{{} {pid}:{package}/u0a{user}}}", hash(package))
}

fn task_name(phone: &Phone, task: u32, package: &str) -> String {
    let kind = if package == crate::phone::LAUNCHER_PACKAGE { "home" } else { "standard" };
    format!(
        "Task{{{} #{task} type={kind} A={}:{package} U=0 visible={} mode=fullscreen translucent=false sz=1}}",
        hash(&format!("task{task}")),
        uid_of(phone, package),
        phone.front_package() == Some(package),
    )
}

fn activities(phone: &Phone, only: Option<&str>) -> String {
    let front = front_record(phone);
    let mut text = "ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)\nDisplay #0 (activities from top to bottom):\n".to_owned();
    let (mut last_task, mut number) = (None, 0);
    let open = phone.open_activities();
    let wanted = open.iter().copied();
    for OpenActivity { task, package, class } in
        wanted.filter(|row| only.is_none_or(|only| only == row.package))
    {
        if last_task != Some(task) {
            text.push_str(&format!(
                "\n  * {}\n    mLastNonFullscreenBounds=null\n    isSleeping={}\n",
                task_name(phone, task, package),
                !phone.power.awake
            ));
            let count = open.iter().filter(|row| row.task == task).count();
            number = count;
            last_task = Some(task);
            let resumed =
                open.iter().find(|row| row.task == task).map(|row| record(row.task, row.package, row.class));
            if resumed.as_ref() == Some(&front) {
                text.push_str(&format!("    mResumedActivity: {front}\n"));
            }
        }
        number = number.saturating_sub(1);
        let starter = phone.started_by(task).unwrap_or("com.android.shell");
        let component = short_component(package, class);
        let is_front = record(task, package, class) == front;
        let state = if is_front && phone.power.awake { "RESUMED" } else { "STOPPED" };
        text.push_str(&format!(
            "    * Hist  #{number}: {}\n      packageName={package} processName={package}\n      launchedFromUid={} launchedFromPackage={starter} userId=0\n      app={}\n      Intent {{ act=android.intent.action.MAIN cat=[android.intent.category.LAUNCHER] flg=0x10000000 cmp={component} }}\n      rootOfTask={} task={}\n      taskAffinity={}:{package}\n      mActivityComponent={component}\n      state={state} delayedResume=false finishing=false\n      visible={is_front} visibleRequested={is_front}\n",
            record(task, package, class),
            phone.packages.get(starter).map_or(2_000, |it| it.uid),
            process(phone, package),
            number == 0,
            task_name(phone, task, package),
            uid_of(phone, package),
        ));
    }
    let resumed = if phone.power.awake { front.as_str() } else { "null" };
    text.push_str(&format!(
        "\n  ResumedActivity:{front}\n\n  topDisplayFocusedRootTask={}\n  topResumedActivity={resumed}\n  mFocusedApp={front}\n  mLastPausedActivity: null\n  isHomeRecentsComponent=true\n  KeyguardController:\n    mKeyguardShowing={locked}\n    mAodShowing=false\n    mKeyguardGoingAway=false\n    mOccluded=false\n",
        open.first().map_or_else(|| "null".to_owned(), |row| task_name(phone, row.task, row.package)),
        locked = phone.power.locked,
    ));
    text
}

fn top(phone: &Phone) -> String {
    let Some(OpenActivity { task, package, class }) = phone.open_activities().first().copied() else {
        return "  (nothing)\n".to_owned();
    };
    let component = short_component(package, class);
    format!(
        "TASK {}:{package} id={task} userId=0\n  ACTIVITY {component} {} pid={} userId=0\n    Local Activity {} State:\n      mResumed={awake} mStopped=false mFinished=false\n      mChangingConfigurations=false\n      mCurrentConfig={{1.0 ?mcc0mnc [en_US] ldltr {density}dpi}}\n    mLoadersStarted=true\n",
        uid_of(phone, package),
        hash(&component),
        phone.pid_of(package).unwrap_or(0),
        hash(class),
        awake = phone.power.awake,
        density = phone.display.density(),
    )
}

fn one(phone: &Phone, name: &str) -> String {
    let open = phone.open_activities();
    let found =
        open.iter().filter(|row| row.package == name || short_component(row.package, row.class) == name);
    let lines: String = found
        .map(|OpenActivity { task, package, class }| {
            format!(
                "TASK {}:{package} id={task} userId=0\n  ACTIVITY {} {} pid={}\n",
                uid_of(phone, package),
                short_component(package, class),
                hash(class),
                phone.pid_of(package).unwrap_or(0)
            )
        })
        .collect();
    if lines.is_empty() {
        return format!("Bad activity command, or no activities match: {name}\nUse -h for help.\n");
    }
    lines
}

fn recents(phone: &Phone) -> String {
    let mut text =
        "ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)\n  mRecentsUid=10100\n  Recent tasks:\n"
            .to_owned();
    let mut seen = Vec::new();
    for OpenActivity { task, package, class } in phone.open_activities() {
        if seen.contains(&task) {
            continue;
        }
        text.push_str(&format!(
            "  * Recent #{}: {}\n    userId=0 effectiveUid={} mCallingUid=2000 mCallingPackage=com.android.shell\n    affinity={package}\n    realActivity={{{}}}\n    mActivityComponent={}\n    taskId={task} rootTaskId={task}\n    hasChildPipActivity=false\n",
            seen.len(),
            task_name(phone, task, package),
            uid_of(phone, package),
            short_component(package, class),
            short_component(package, class),
        ));
        seen.push(task);
    }
    text
}

fn processes(phone: &Phone, only: Option<&str>) -> String {
    let mut text =
        "ACTIVITY MANAGER RUNNING PROCESSES (dumpsys activity processes)\n  All known processes:\n"
            .to_owned();
    let running = phone.packages.values().filter(|package| package.pid.is_some());
    for package in running.filter(|package| only.is_none_or(|only| only == package.name())) {
        text.push_str(&format!(
            "  *APP* UID {} {}\n    user #0 uid={} gids={{3003, 50100, 20100}}\n    packageList={{{}}}\n    pid={}\n    curProcState={}\n",
            package.uid,
            process(phone, package.name()),
            package.uid,
            package.name(),
            package.pid.unwrap_or(0),
            if phone.front_package() == Some(package.name()) { 2 } else { 16 },
        ));
    }
    if let Some(component) = &phone.instrumented {
        text.push_str(&format!(
            "\n  Active instrumentation:\n    Instrumentation #0: ActiveInstrumentation{{{} {{{component}}} 1 procs}}\n      mClass=ComponentInfo{{{component}}} mFinished=false\n\n",
            hash(component)
        ));
    }
    text.push_str(&format!("  mHomeProcess: {}\n", process(phone, crate::phone::LAUNCHER_PACKAGE)));
    text.push_str(&format!("  mWakefulness={}\n", if phone.power.awake { "Awake" } else { "Asleep" }));
    text
}

fn services(phone: &Phone) -> String {
    let keyboards =
        phone.packages.values().filter(|package| package.app.keyboard.is_some() && package.pid.is_some());
    let lines: String = keyboards
        .map(|package| format!("  * ServiceRecord{{{} u0 {}}}\n", hash(package.name()), package.name()))
        .collect();
    let lines = if lines.is_empty() { "  (nothing)\n".to_owned() } else { lines };
    format!("ACTIVITY MANAGER SERVICES (dumpsys activity services)\n{lines}")
}

fn broadcasts() -> String {
    "ACTIVITY MANAGER BROADCAST STATE (dumpsys activity broadcasts)\n  Historical broadcasts:\n  mBroadcastsScheduled [modern]=false\n".to_owned()
}

fn intents() -> String {
    "ACTIVITY MANAGER PENDING INTENTS (dumpsys activity intents)\n  (nothing)\n".to_owned()
}
